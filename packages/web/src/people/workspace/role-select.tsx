import type { Role } from "@parley/client";
import { SelectField } from "../../app/fields.tsx";
import { t } from "../../app/strings/language.ts";

const ROLES: readonly Role[] = ["viewer", "editor", "owner"];

/** Selects a member's role. */
export function RoleSelect(props: {
  label: string;
  isLabelHidden?: boolean;
  value: Role;
  disabled?: boolean;
  onChoose: (role: Role) => void;
}) {
  return <SelectField {...props} options={ROLES.map((role) => [role, t().workspacePage.roles[role]])} />;
}
