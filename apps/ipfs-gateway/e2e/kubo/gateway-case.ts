/** Request that both gateways get. */
export interface GatewayCase {
  readonly path: string;
  readonly method?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
