import { type JSX, Show, splitProps } from "solid-js";
import { Icon, type IconName } from "./icon.tsx";

type ButtonProps = JSX.ButtonHTMLAttributes<HTMLButtonElement> & {
  kind?: "button" | "primary" | "quiet" | "link" | "round";
  icon?: IconName;
  /** Its words; anything else is a child. */
  label?: string;
  /** The name of a button without words; it is also its tooltip. */
  tip?: string;
};

const CLASSES = {
  button: "button",
  primary: "button primary",
  quiet: "quiet-button",
  link: "link-button",
  round: "round-button",
};

/** A button in one of the styles of the client, with an icon before its words where one is given. */
export function Button(props: ButtonProps) {
  const [own, rest] = splitProps(props, ["kind", "icon", "label", "tip", "class", "children"]);
  const style = () => [CLASSES[own.kind ?? "button"], own.class].filter(Boolean).join(" ");
  return (
    <button type="button" aria-label={own.tip} title={own.tip} {...rest} class={style()}>
      <Show when={own.icon}>{(name) => <Icon name={name()} />}</Show>
      {own.label}
      {own.children}
    </button>
  );
}
