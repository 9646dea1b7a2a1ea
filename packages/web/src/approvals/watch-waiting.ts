import { useNavigate } from "@solidjs/router";
import { onShortcut } from "../app/keys.ts";
import { useParley } from "../app/parley.ts";
import { useInbox } from "./inbox.ts";
import { tellOfWaiting } from "./waiting-notices.ts";

/** For the shell: tells of what begins to wait, and leads there by key, on the page or else in the inbox. */
export function watchWaiting(): void {
  const navigate = useNavigate();
  tellOfWaiting(useInbox(), useParley(), ({ sessionId }) => navigate(`/${sessionId}`));
  onShortcut("waiting", () => {
    const card = document.querySelector<HTMLElement>(".approval.waiting");
    if (card) card.focus();
    else navigate("/inbox");
  });
}
