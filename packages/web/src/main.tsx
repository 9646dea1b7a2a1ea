import { render } from "solid-js/web";
import { App } from "./app/app.tsx";
import { startParley } from "./app/parley.ts";
import { useKnownLanguage } from "./app/strings/language.ts";
import "./app/tokens.css";
import "./app/base.css";

useKnownLanguage();
const parley = await startParley();
render(() => <App parley={parley} />, document.getElementById("app") as HTMLElement);
