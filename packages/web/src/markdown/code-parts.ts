import { element } from "./element.ts";

const partSize = 16_384;

/**
 * Adds text to code in parts that are laid out each by itself, so that code of any length grows without delay. A part
 * ends with a line, unless the line is too long even for two.
 */
export function appendCode(code: HTMLElement, text: string): void {
  for (let start = 0; start < text.length; ) {
    const part = openPart(code);
    const room = partSize - part.textContent.length;
    const lineEnd = text.indexOf("\n", start + Math.max(0, room - 1)) + 1;
    const end = Math.min(lineEnd || text.length, start + room + partSize);
    const whole = /[\ud800-\udbff]/.test(text[end - 1] ?? "") && end < text.length ? end + 1 : end;
    part.append(text.slice(start, whole));
    start = whole;
  }
}

function openPart(code: HTMLElement): HTMLElement {
  const last = code.lastElementChild;
  const length = last?.textContent.length ?? 0;
  const isFull = length >= 2 * partSize || (length >= partSize && last?.textContent.endsWith("\n"));
  return last instanceof HTMLElement && !isFull ? last : code.appendChild(element("span", "md-part"));
}
