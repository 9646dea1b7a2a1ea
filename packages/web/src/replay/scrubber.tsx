import { createEffect, createMemo, For, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { IconButton } from "../app/icon.tsx";
import { t } from "../app/strings/language.ts";
import type { EventLog } from "./event-log.ts";
import { SPEEDS } from "./playback.ts";
import type { Player } from "./player.ts";

const MAX_MARKS = 200;

/** What the scrubber shows, and what it can do. */
export interface ScrubberProps {
  readonly log: EventLog;
  readonly index: number;
  readonly isWhole: boolean;
  readonly player: Player;
  readonly onMove: (index: number) => void;
  readonly onFork: () => void;
  readonly onLeave: () => void;
}

/** The way through the events: by hand, step by step, or played. */
export function Scrubber(props: ScrubberProps) {
  const words = () => t().replay;
  const event = () => props.log.event(props.index);
  const time = () => {
    const at = event()?.timestamp;
    return at === undefined ? "" : new Date(at).toLocaleTimeString(document.documentElement.lang);
  };
  const playWord = () => (props.player.isPlaying() ? words().pause : words().play);
  const place = () => words().position(props.index, props.log.last);
  const Step = (step: { to: number; label: string; class: string }) => (
    <IconButton
      icon="chevron"
      label={step.label}
      hasTooltip
      class={step.class}
      onClick={() => props.onMove(step.to)}
    />
  );
  return (
    <div class="scrubber">
      <div class="scrubber-track">
        <Marks log={props.log} />
        <EventSlider log={props.log} index={props.index} onMove={props.onMove} />
      </div>
      <div class="scrubber-row">
        <Button
          kind="round"
          class="primary"
          tip={playWord()}
          onClick={props.player.toggle}
          icon={props.player.isPlaying() ? "pause" : "play"}
        />
        <Step to={props.index - 1} label={words().back} class="back" />
        <Step to={props.index + 1} label={words().forward} class="" />
        <fieldset class="speeds" aria-label={words().speed}>
          <For each={SPEEDS}>
            {(speed) => (
              <Button
                kind="quiet"
                aria-pressed={props.player.speed() === speed}
                label={speed === "max" ? words().fastest : `${speed}×`}
                onClick={() => props.player.setSpeed(speed)}
              />
            )}
          </For>
        </fieldset>
        <p class="moment small">
          <span>
            {place()} <span class="muted">{time()}</span>
          </span>
          <span class="muted">
            <Show when={props.isWhole} fallback={words().loading(props.log.last)}>
              <code>{event()?.type}</code>
            </Show>
          </span>
        </p>
        <span class="scrubber-ends">
          <Button label={t().branches.forkHere} onClick={props.onFork} disabled={!event()} icon="branch" />
          <Button label={words().live} onClick={props.onLeave} />
        </span>
      </div>
    </div>
  );
}

/** A slider over the events of a log. */
export function EventSlider(props: Pick<ScrubberProps, "log" | "index" | "onMove">) {
  let slider: HTMLInputElement | undefined;
  const played = () =>
    (100 * (props.index - props.log.first)) / Math.max(1, props.log.last - props.log.first);
  createEffect(() => {
    if (!slider) return;
    const { first, last } = props.log;
    // The limits come first: the browser cuts a value that is beyond them.
    slider.min = String(first);
    slider.max = String(Math.max(last, first));
    slider.value = String(props.index);
  });
  return (
    <input
      ref={slider}
      type="range"
      step="1"
      aria-label={t().replay.scrubber}
      aria-valuetext={`${t().replay.position(props.index, props.log.last)}: ${props.log.event(props.index)?.type ?? ""}`}
      style={{ "--played": `${played()}%` }}
      onInput={(input) => props.onMove(input.currentTarget.valueAsNumber)}
    />
  );
}

function Marks(props: { log: EventLog }) {
  const places = createMemo(() => {
    const { events, first, last } = props.log;
    const said = events.filter(({ type }) => type === "user_message").slice(0, MAX_MARKS);
    return said.map(({ index }) => (100 * (index - first)) / Math.max(1, last - first));
  });
  return (
    <span class="marks" aria-hidden="true">
      <For each={places()}>{(place) => <span style={{ left: `${place}%` }} />}</For>
    </span>
  );
}
