import { For, type JSX, splitProps } from "solid-js";

type TextFieldProps = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "onInput"> & {
  label: JSX.Element;
  onText: (text: string) => void;
};

/** A text field below its label. */
export function TextField(props: TextFieldProps) {
  const [own, rest] = splitProps(props, ["label", "onText", "children"]);
  return (
    <label class="field">
      <span>{own.label}</span>
      <input autocomplete="off" {...rest} onInput={(event) => own.onText(event.currentTarget.value)} />
      {own.children}
    </label>
  );
}

/** A choice among named values, below its label; a hidden label is for screen readers alone. */
export function SelectField<Value extends string>(props: {
  label: string;
  isLabelHidden?: boolean;
  class?: string;
  value: Value;
  options: readonly (readonly [value: Value, name: string])[];
  disabled?: boolean;
  onChoose: (value: Value) => void;
}) {
  return (
    <label class={props.class ?? "field role-field"}>
      <span classList={{ "visually-hidden": props.isLabelHidden }}>{props.label}</span>
      <select
        disabled={props.disabled}
        value={props.value}
        onChange={(event) => props.onChoose(event.currentTarget.value as Value)}
      >
        {/* By value: a list that is open must not be drawn anew. */}
        <For each={props.options.map(([value]) => value)}>
          {(value) => (
            <option value={value} selected={value === props.value}>
              {props.options.find(([each]) => each === value)?.[1]}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}

/** Handles a form's submit here instead of sending it to the server. */
export function submitted(act: () => unknown): (event: SubmitEvent) => void {
  return (event) => {
    event.preventDefault();
    void act();
  };
}
