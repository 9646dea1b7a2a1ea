import type { Role } from "@parley/client";
import { For } from "solid-js";
import { t } from "../../app/strings/language.ts";

const ROLES: readonly Role[] = ["viewer", "editor", "owner"];

/** Chooses what somebody may do. */
export function RoleSelect(props: {
  label: string;
  value: Role;
  /** Without it the label is for screen readers alone. */
  isLabelShown?: boolean;
  disabled?: boolean;
  onChoose: (role: Role) => void;
}) {
  return (
    <label class="field role-field">
      <span classList={{ "visually-hidden": !props.isLabelShown }}>{props.label}</span>
      <select
        disabled={props.disabled}
        value={props.value}
        onChange={(event) => props.onChoose(event.currentTarget.value as Role)}
      >
        <For each={ROLES}>
          {(role) => (
            <option value={role} selected={role === props.value}>
              {t().workspacePage.roles[role]}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}
