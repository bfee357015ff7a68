import type { KeyObject } from "node:crypto";
import type { IncomingMessage } from "node:http";

// What the parts of the stand-in share.

/** One version of a certificate with its key, as a vault holds them together. */
export type VersionInVault = {
  /** 32 letters and digits. */
  readonly version: string;
  /** DER; undefined while the issuer has not answered. */
  readonly certificate: Uint8Array | undefined;
  readonly key: KeyObject;
  readonly enabled?: boolean;
  readonly keyEnabled?: boolean;
  readonly keyOperations?: readonly string[];
  /** The key that the vault says it is, when it lies. */
  readonly shownKey?: KeyObject;
};

/** Failure of the next calls, until it is set to undefined. */
export type VaultTrouble =
  | { readonly type: "status"; readonly status: number; readonly retryAfter?: string }
  | { readonly type: "denied"; readonly inner: string; readonly message: string }
  | { readonly type: "silence" }
  | { readonly type: "cut" };

export type VaultOperation = "certificates/get" | "keys/get" | "keys/sign" | "token";

/** An application that may ask for tokens. */
export type Application = { readonly clientId: string; readonly clientSecret: string };

/** Issued tokens; no others are accepted. */
export type Tokens = {
  give(): string;
  isKnown(authorization: string | undefined): boolean;
};

export type VaultState = {
  readonly url: string;
  readonly tenantId: string;
  readonly application: Application;
  readonly certificates: Map<string, readonly VersionInVault[]>;
  readonly troubles: Map<VaultOperation, VaultTrouble>;
  readonly requests: string[];
  readonly tokenRequests: string[];
  readonly tokens: Tokens;
};

/** The scope of tokens for a vault. */
export const RESOURCE = "https://vault.azure.net";

/** The requests, with body. */
export type VaultRequest = {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

export type Reply =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: unknown;
    }
  | "silence"
  | "cut";

/** The reply of a configured failure. */
export function troubled(trouble: VaultTrouble): Reply {
  switch (trouble.type) {
    case "silence":
    case "cut":
      return trouble.type;
    case "denied": {
      const { message, inner } = trouble;
      const error = { code: "Forbidden", message, innererror: { code: inner } };
      return { status: 403, body: { error } };
    }
    case "status": {
      const { status, retryAfter } = trouble;
      return {
        status,
        ...(retryAfter !== undefined && { headers: { "retry-after": retryAfter } }),
        body: { error: { code: `Trouble${status}`, message: `The stand-in answers ${status}.` } },
      };
    }
  }
}
