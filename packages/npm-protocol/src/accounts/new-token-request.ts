import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { parseOldPackageName } from "../package-name.ts";
import type { NpmPermission, NewTokenRequest } from "./ports.ts";

const DAY_MS = 24 * 60 * 60_000;
const DAYS_MAX = 36_500;
/** As `sealhouse token create` has it. */
const DAYS_DEFAULT = 365;
const LIST_MAX = 100;

const PERMISSIONS: Readonly<Record<string, NpmPermission>> = {
  "read-only": "read",
  "read-write": "write",
  "read-write-stage-only": "stage",
};
const OF_PUBLIC_REGISTRY = ["no-access", ...Object.keys(PERMISSIONS)];

/**
 * Reads the body of `npm token create`, in the words of npm and in those of its API description.
 *
 * @throws NpmError `document-invalid`, `forbidden` for what no token here can do
 */
export function parseNewTokenRequest(body: JsonObject, now: Date): NewTokenRequest {
  refuseOrganisations(body);
  const permission = permissionIn(body);
  const names = namesIn(body);
  const networks = stringsIn(
    body,
    body["cidr_whitelist"] === undefined ? "cidr" : "cidr_whitelist",
  );
  return {
    name: nameIn(body),
    ...(permission !== undefined && { permission }),
    ...(names.length > 0 && { names }),
    ...(networks.length > 0 && { networks }),
    expiresAt: new Date(now.getTime() + daysIn(body) * DAY_MS),
  };
}

function nameIn(body: JsonObject): string {
  const candidates = [body["name"], body["token_description"], body["description"]];
  const name = candidates.find(
    (candidate) => typeof candidate === "string" && candidate.trim() !== "",
  );
  return typeof name === "string" ? name : "npm token";
}

function permissionIn(body: JsonObject): NpmPermission | undefined {
  const field = body["packages_and_scopes_permission"];
  if (field === undefined || field === null) {
    return body["readonly"] === true || body["read_only"] === true ? "read" : undefined;
  }
  const knownPermission = OF_PUBLIC_REGISTRY.find((candidate) => candidate === field);
  if (knownPermission === undefined) {
    throw invalid(`The permission of a token is one of: ${OF_PUBLIC_REGISTRY.join(", ")}.`);
  }
  const permission = PERMISSIONS[knownPermission];
  if (permission) return permission;
  throw invalid("A token with no access to packages would open nothing here.");
}

/** There is nothing about an organisation that a token could be let do. */
function refuseOrganisations(body: JsonObject): void {
  const permission = body["orgs_permission"];
  if (permission !== "read-write") return;
  throw new NpmError(
    "forbidden",
    "This registry has no organisations to manage: name the scopes that the token is for.",
  );
}

function namesIn(body: JsonObject): readonly string[] {
  if (body["packages_all"] === true) return [];
  const packages = stringsIn(body, "packages").map((text) => {
    const name = text.includes("*") ? undefined : parseOldPackageName(text);
    if (!name) throw invalid(`${JSON.stringify(text.slice(0, 80))} is not a package name.`);
    return name;
  });
  const scopes = [...stringsIn(body, "scopes"), ...stringsIn(body, "orgs")].map((text) => {
    const scope = text.replace(/^@/, "");
    if (scope.includes("*") || !parseOldPackageName(`@${scope}/a`)) {
      throw invalid(
        `${JSON.stringify(text.slice(0, 80))} is not an npm scope. Use a name like @acme.`,
      );
    }
    return `@${scope}/*`;
  });
  return [...new Set([...packages, ...scopes])];
}

function daysIn({ expires }: JsonObject): number {
  if (expires === undefined || expires === null) return DAYS_DEFAULT;
  const isDays = typeof expires === "number" && Number.isInteger(expires);
  if (isDays && expires >= 1 && expires <= DAYS_MAX) return expires;
  throw invalid(`A token expires after 1 to ${DAYS_MAX} whole days.`);
}

function stringsIn(body: JsonObject, key: string): readonly string[] {
  const field = body[key];
  if (field === undefined || field === null) return [];
  const list: readonly unknown[] = Array.isArray(field) ? field : [field];
  const texts = list.filter((entry) => typeof entry === "string");
  if (texts.length < list.length) throw invalid(`${key} must be a list of texts.`);
  if (texts.length <= LIST_MAX) return texts;
  throw invalid(`${key} holds at most ${LIST_MAX} entries.`);
}

function invalid(text: string): NpmError {
  return new NpmError("document-invalid", text);
}
