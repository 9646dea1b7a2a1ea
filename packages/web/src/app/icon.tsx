const PATHS = {
  plus: "M12 5v14M5 12h14",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm9 2-4-4",
  inbox: "M4 13l3-8h10l3 8v6H4zm0 0h5a3 3 0 0 0 6 0h5",
  bell: "M6 17h12l-1.5-2.5V10a4.5 4.5 0 0 0-9 0v4.5zM10 20h4",
  agents:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zm-6 9c0-3.5 2.7-6 6-6s6 2.5 6 6M16 4.5a3.5 3.5 0 0 1 0 6M18 14.5c2 .8 3.2 2.8 3.2 5.5",
  settings:
    "M4 7h9m5 0h2M4 17h3m5 0h8M15.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm-6 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  workspace: "M4 20V10l8-6 8 6v10zM10 20v-6h4v6",
  sidebar: "M4 5h16v14H4zM10 5v14",
  send: "M12 19V6m-6 6 6-6 6 6",
  stop: "M7 7h10v10H7z",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M6.5 6.5l11 11m0-11l-11 11",
  down: "M12 5v13m-6-6 6 6 6-6",
  chevron: "M9 6l6 6-6 6",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
  retry: "M19 12a7 7 0 1 1-2-5l2 2m0-5v5h-5",
  question: "M12 17.5v.01M9.5 9a2.5 2.5 0 1 1 3.7 2.2c-.8.5-1.2 1-1.2 2",
  dot: "M12 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z",
  skip: "M6 12h12",
  branch:
    "M7 8v8m0-8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm0 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm0 0c0 5-10 3-10 8",
  clock: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zm0-12v4.5l3 2",
  edit: "M5 19l1-4L16 5l3 3L9 18zm9-12 3 3",
  play: "M8 5.5v13l10-6.5z",
  pause: "M8.5 6v12m7-12v12",
  trace: "M4 6h9M8 12h9M12 18h8",
  file: "M7 3h7l4 4v14H7zM14 3v5h4",
  attach: "M19 11l-7.5 7.5a4.2 4.2 0 0 1-6-6L13 5a2.8 2.8 0 0 1 4 4l-7.5 7.5a1.4 1.4 0 0 1-2-2L14 8",
  download: "M12 4v11m-5-5 5 5 5-5M5 20h14",
  share: "M12 15V4m-4 4 4-4 4 4M6 12v8h12v-8",
  leave: "M14 4H5v16h9M10 12h10m-4-4 4 4-4 4",
  back: "M19 12H6m6-6-6 6 6 6",
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon, hidden from screen readers. */
export function Icon(props: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[props.name]} />
    </svg>
  );
}

/** A button with only an icon; its label is for screen readers, and a tooltip where wanted. */
export function IconButton(props: {
  icon: IconName;
  label: string;
  hasTooltip?: boolean;
  class?: string;
  disabled?: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      class={props.class ? `icon-button ${props.class}` : "icon-button"}
      aria-label={props.label}
      title={props.hasTooltip ? props.label : undefined}
      disabled={props.disabled}
      onClick={() => props.onClick()}
    >
      <Icon name={props.icon} />
    </button>
  );
}
