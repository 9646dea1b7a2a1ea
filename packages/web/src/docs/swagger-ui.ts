import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
// After it, to say otherwise.
import "./swagger-ui.css";

/** Draws an OpenAPI document with requests to try. It is large: import it when it is needed. */
export function drawApi(box: HTMLElement, spec: object): void {
  SwaggerUI({
    domNode: box,
    spec,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    validatorUrl: null,
  });
}
