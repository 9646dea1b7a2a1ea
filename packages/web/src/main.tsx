import { render } from "solid-js/web";

render(() => <p>hi</p>, document.getElementById("app") as HTMLElement);
