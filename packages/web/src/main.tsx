// First, so that what components say of themselves comes after it.
import "./app/tokens.css";
import "./app/base.css";
import { render } from "solid-js/web";
import { App } from "./app/app.tsx";
import { startParley } from "./app/parley.ts";
import { useKnownLanguage } from "./app/strings/language.ts";

useKnownLanguage();
const parley = await startParley();
render(() => <App parley={parley} />, document.getElementById("app") as HTMLElement);
