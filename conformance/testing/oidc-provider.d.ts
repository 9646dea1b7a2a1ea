/** The little of oidc-provider that these tests use; its own types are not installed. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    on(
      event: "grant.success",
      listener: (context: { readonly oidc: { readonly params: { readonly grant_type: string } } }) => void,
    ): void;
    on(event: "refresh_token.saved", listener: (token: { readonly jti: string }) => void): void;
  }
}
