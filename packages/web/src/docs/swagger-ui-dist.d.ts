declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  /** Draws an OpenAPI document into an element. */
  export default function SwaggerUI(options: {
    readonly domNode: HTMLElement;
    readonly spec: object;
    readonly docExpansion: "list";
    readonly defaultModelsExpandDepth: number;
    readonly validatorUrl: null;
  }): void;
}
