import { lookup as lookupAddresses } from "node:dns";
import type { LookupFunction } from "node:net";
import { addressKind, hostKind } from "./network-addresses.ts";
import type { AddressKind } from "./network-addresses.ts";

/** The host tried to call an address in a private network, and may not. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
  readonly code = "private-address";
  /** The message without its advice. */
  readonly reason: string;

  /** `advice` is a sentence: how to allow the address. */
  constructor(host: string, advice?: string) {
    const reason = `${host} is in a private network`;
    super(`${reason}. Outgoing requests may not call it.${advice ? ` ${advice}` : ""}`);
    this.reason = reason;
  }
}

/** The host tried to call a service that tells a machine its own secrets. No setting allows it. */
export class MetadataAddressError extends Error {
  override readonly name = "MetadataAddressError";
  readonly code = "metadata-address";
  /** The message without its advice. */
  readonly reason: string;

  constructor(host: string) {
    const reason = `${host} is an address of a cloud's metadata service`;
    super(`${reason}. Outgoing requests never call it.`);
    this.reason = reason;
  }
}

/** An address that the host must not call. */
export type AddressRefusal = PrivateAddressError | MetadataAddressError;

const REFUSALS: ReadonlySet<unknown> = new Set<AddressRefusal["code"]>([
  "private-address",
  "metadata-address",
]);

/** Returns the refusal of an address that caused an error; undefined for other errors. */
export function addressRefusalOf(error: unknown): AddressRefusal | undefined {
  for (let cause = error; cause instanceof Error; { cause } = cause) {
    if (isAddressRefusal(cause)) return cause;
  }
  return undefined;
}

function isAddressRefusal(error: Error): error is AddressRefusal {
  return "code" in error && REFUSALS.has(error.code);
}

/** Addresses that a caller of other servers may call. */
export type AddressPermission = {
  readonly allowPrivate: boolean;
  /** Name of the setting for `allowPrivate`, which errors mention. */
  readonly setting?: string;
  /** A sentence about how to allow private addresses, instead of the setting. */
  readonly advice?: string;
};

/**
 * Throws when the text of a URL's host is an address that must not be called. Other names are
 * checked by `checkedLookup`, because Node looks up no address.
 */
export function checkHost(url: Pick<URL, "hostname">, permission: AddressPermission): void {
  const kind = hostKind(url);
  const refusal = kind && refusalOf(kind, url.hostname.replace(/^\[|\]$/g, ""), permission);
  if (refusal) throw refusal;
}

/**
 * Returns a `lookup` for connections. It fails with `PrivateAddressError` or `MetadataAddressError`
 * when one of the addresses of a name must not be called.
 */
export function checkedLookup(permission: AddressPermission): LookupFunction {
  return (hostname, options, callback) => {
    lookupAddresses(hostname, { ...options, all: true }, (error, found) => {
      const addresses = error ? [] : found;
      const [first] = addresses;
      const refusal = addresses
        .map(({ address }) => refusalOf(addressKind(address), hostname, permission))
        .find((refused) => refused !== undefined);
      if (error || !first) callback(error ?? new Error(`${hostname} has no address`), "", 0);
      else if (refusal) callback(refusal, "", 0);
      else if (options.all) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  };
}

function refusalOf(
  kind: AddressKind,
  host: string,
  { allowPrivate, setting, advice = adviceOf(setting) }: AddressPermission,
): AddressRefusal | undefined {
  if (kind === "metadata") return new MetadataAddressError(host);
  return kind === "private" && !allowPrivate ? new PrivateAddressError(host, advice) : undefined;
}

function adviceOf(setting: string | undefined): string | undefined {
  return setting === undefined ? undefined : `Set ${setting}=true to allow it.`;
}
