/** The address at which a browser uses passkeys. */
export type PasskeySite = {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The host name, to which passkeys belong. */
  readonly rpId: string;
};

const ADDRESS = /^(?:\[.*\]|\d+(?:\.\d+){3})$/;

/**
 * Returns the site of a public address. Undefined where browsers have no passkeys: without https,
 * apart from `localhost`, and where the host is an IP address.
 */
export function passkeySiteOf(baseUrl: string): PasskeySite | undefined {
  const { origin, hostname, protocol } = new URL(baseUrl);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  if (ADDRESS.test(hostname) || (protocol !== "https:" && !isLocal)) return undefined;
  return { origin, rpId: hostname };
}
