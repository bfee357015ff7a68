import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ModeSettingError, namedBy } from "@sealhouse/repo-signing";
import type { ModeContext } from "@sealhouse/repo-signing";
import type { Endpoint, ServiceAccount } from "./kms-client.ts";

export type Section = "Signing__GcpKms" | "Signing__GcpHsm";

/** Where a key is, as in `projects/…/locations/…/keyRings/…/cryptoKeys/…`. */
export type KeyAddress = {
  readonly projectId: string;
  readonly location: string;
  readonly keyRing: string;
  readonly keyName: string;
};

/** The checked settings of one mode. */
export type ModeValues = { readonly section: Section; readonly context: ModeContext };

export function textOf({ section, context }: ModeValues, name: string): string | undefined {
  const text = context.values[`${section}__${name}`]?.trim();
  return text === "" ? undefined : text;
}

/** An error to throw. `message` explains why the value is invalid and which values are valid. */
export function refusal(
  { section }: ModeValues,
  name: string,
  message: string,
  cause?: unknown,
): ModeSettingError {
  return new ModeSettingError(`${section}__${name}`, message, { cause });
}

/** A name that becomes part of a resource name: one segment. @throws ModeSettingError */
export function segmentOf(values: ModeValues, name: string): string {
  const text = textOf(values, name);
  if (text === undefined) throw refusal(values, name, "is required");
  if (/^[A-Za-z0-9][A-Za-z0-9._:-]*$/.test(text)) return text;
  throw refusal(values, name, `"${text}" is not one name; give the part between two slashes`);
}

/** @throws ModeSettingError */
export function keyAddressOf(values: ModeValues): KeyAddress {
  return {
    projectId: segmentOf(values, "ProjectId"),
    location: segmentOf(values, "Location"),
    keyRing: segmentOf(values, "KeyRing"),
    keyName: segmentOf(values, "KeyName"),
  };
}

/** Undefined = the newest that can sign. @throws ModeSettingError */
export function keyVersionOf(values: ModeValues): string | undefined {
  const version = textOf(values, "KeyVersion");
  if (version === undefined || /^[1-9]\d*$/.test(version)) return version;
  throw refusal(values, "KeyVersion", `"${version}" is not a number, such as 1`);
}

/** @throws ModeSettingError */
export function endpointOf(values: ModeValues): Endpoint {
  const transport = textOf(values, "Transport") === "Rest" ? "rest" : "grpc";
  const text = textOf(values, "ServiceUrl");
  if (text === undefined) return { transport };
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw refusal(values, "ServiceUrl", `"${text}" must be a scheme, a host and perhaps a port`);
  }
  return { transport, url };
}

/** Undefined = application default credentials. @throws ModeSettingError */
export async function serviceAccountOf(values: ModeValues): Promise<ServiceAccount | undefined> {
  const pathSetting = "ServiceAccountKeyPathConfigurationKey";
  const pointed = namedBy(`${values.section}__${pathSetting}`, values.context)?.trim();
  if (pointed) return readServiceAccount(values, pathSetting, pointed);
  const own = "ServiceAccountKeyPath";
  const path = textOf(values, own);
  return path === undefined ? undefined : readServiceAccount(values, own, path);
}

/** The file holds a private key: nothing of it may come up in a message. */
async function readServiceAccount(
  values: ModeValues,
  name: string,
  path: string,
): Promise<ServiceAccount> {
  const place = resolve(path);
  let text: string;
  try {
    text = await readFile(place, "utf8");
  } catch (cause) {
    const why = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw refusal(values, name, `${place} cannot be read${why}`, cause);
  }
  const account = parseServiceAccount(text);
  if (account) return account;
  throw refusal(
    values,
    name,
    `${place} is not the JSON key of a service account; other credentials go into the file that ` +
      "GOOGLE_APPLICATION_CREDENTIALS names",
  );
}

function parseServiceAccount(text: string): ServiceAccount | undefined {
  const parsed = parseJson(text);
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const { type, client_email: email, private_key: privateKey }: KeyFile = parsed;
  if (type !== "service_account" || typeof email !== "string") return undefined;
  return isPrivateKey(privateKey) ? { email, privateKey } : undefined;
}

type KeyFile = { type?: unknown; client_email?: unknown; private_key?: unknown };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isPrivateKey(pem: unknown): pem is string {
  try {
    return typeof pem === "string" && createPrivateKey(pem).type === "private";
  } catch {
    return false;
  }
}
