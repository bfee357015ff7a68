import type { Hive } from "./document-key.ts";

/** Where each resource lives below the public base address, which has no trailing slash. */
const HIVES = {
  semver1: "/v3/registration",
  semver2: "/v3/registration-gz-semver2",
} as const satisfies Record<Hive, string>;

/** Path segments under which each hive answers; the others are for clients of older hosts. */
export const HIVE_SEGMENTS: Readonly<Record<string, Hive>> = {
  registration: "semver1",
  "registration-gz": "semver1",
  "registration-gz-semver1": "semver1",
  "registration-semver2": "semver2",
  "registration-gz-semver2": "semver2",
};

/** `id` and `version` lower-cased. */
export function contentUrl(base: string, id: string, version: string): string {
  return `${base}/v3/package/${id}/${version}/${id}.${version}.nupkg`;
}

/** A file that lies in the package; `id` and `version` lower-cased. */
export function embeddedFileUrl(
  base: string,
  of: {
    readonly id: string;
    readonly version: string;
    readonly file: "readme" | "icon" | "license";
  },
): string {
  return `${base}/v3/package/${of.id}/${of.version}/${of.file}`;
}

export function registrationUrl(base: string, hive: Hive, id: string): string {
  return `${base}${HIVES[hive]}/${id}/index.json`;
}

export function registrationPageUrl(
  base: string,
  page: {
    readonly hive: Hive;
    readonly id: string;
    readonly lower: string;
    readonly upper: string;
  },
): string {
  return `${base}${HIVES[page.hive]}/${page.id}/page/${page.lower}/${page.upper}.json`;
}

export function registrationLeafUrl(
  base: string,
  leaf: { readonly hive: Hive; readonly id: string; readonly version: string },
): string {
  return `${base}${HIVES[leaf.hive]}/${leaf.id}/${leaf.version}.json`;
}

export function certificateUrl(base: string, fingerprint: string): string {
  return `${base}/v3/certificates/${fingerprint}.crt`;
}
