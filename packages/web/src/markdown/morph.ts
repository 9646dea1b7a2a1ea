/**
 * Makes the children of `parent` from this place on look like `wanted`, and keeps every node that looks so already, so
 * that a selection and the reader's place survive.
 */
export function morphChildren(parent: Node, from: number, wanted: readonly Node[]): void {
  let present = parent.childNodes[from] ?? null;
  for (const node of wanted) {
    const next: ChildNode | null = present?.nextSibling ?? null;
    if (!present) parent.appendChild(node);
    else if (!present.isEqualNode(node)) morph(present, node);
    present = next;
  }
  while (present) {
    const next: ChildNode | null = present.nextSibling;
    present.remove();
    present = next;
  }
}

function morph(present: ChildNode, wanted: Node): void {
  if (present instanceof Text && wanted instanceof Text) {
    if (wanted.data.startsWith(present.data)) present.appendData(wanted.data.slice(present.data.length));
    else present.data = wanted.data;
  } else if (present instanceof HTMLElement && wanted instanceof HTMLElement && isAlike(present, wanted)) {
    morphChildren(present, 0, [...wanted.childNodes]);
  } else {
    present.replaceWith(wanted);
  }
}

function isAlike(present: HTMLElement, wanted: HTMLElement): boolean {
  return present.cloneNode(false).isEqualNode(wanted.cloneNode(false));
}
