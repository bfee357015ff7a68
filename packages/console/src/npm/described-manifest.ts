import type { NpmDependency, NpmDependencyGroup, NpmLicense, NpmPage } from "./model.ts";
import { installFieldsOf } from "@sealhouse/npm-protocol";
import type { JsonObject } from "@sealhouse/npm-protocol";

const ALIAS = /^npm:(@?[^@]+)@?(.*)$/s;

type Described = Pick<
  NpmPage,
  | "description"
  | "keywords"
  | "license"
  | "homepage"
  | "repository"
  | "bugs"
  | "engines"
  | "commands"
  | "installScripts"
  | "dependencies"
>;

/** Returns the display data of a manifest. Its fields are untrusted; invalid values are omitted. */
export function describedByManifest(text: string): Described {
  const manifest = objectOf(JSON.parse(text));
  const { description, homepage, bugs } = manifest;
  const fields = installFieldsOf(manifest);
  return {
    description: textOf(description) ?? "",
    keywords: listOf(manifest["keywords"]).flatMap((keyword) => textOf(keyword) ?? []),
    license: licenseOf(manifest),
    homepage: textOf(homepage),
    repository: repositoryOf(manifest["repository"]),
    bugs: textOf(bugs) ?? textOf(objectOf(bugs)["url"]),
    engines: Object.entries(fields.engines).map(([name, range]) => ({ name, range })),
    commands: Object.keys(fields.bin),
    // Clients do not run `prepare` of packages from a registry.
    installScripts: Object.keys(fields.scripts).filter((name) => name !== "prepare"),
    dependencies: dependenciesOf(manifest, fields),
  };
}

function dependenciesOf(
  manifest: JsonObject,
  fields: ReturnType<typeof installFieldsOf>,
): readonly NpmDependencyGroup[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = fields;
  const peers = entriesOf(peerDependencies);
  const isOptional = ({ name }: NpmDependency) => peerDependenciesMeta[name]?.optional === true;
  return [
    { kind: "needed", entries: entriesOf(dependencies) },
    { kind: "optional", entries: entriesOf(optionalDependencies) },
    { kind: "peer", entries: peers.filter((peer) => !isOptional(peer)) },
    { kind: "optional-peer", entries: peers.filter(isOptional) },
    { kind: "development", entries: entriesOf(objectOf(manifest["devDependencies"])) },
  ];
}

function entriesOf(map: JsonObject): readonly NpmDependency[] {
  return Object.entries(map).flatMap(([name, range]) => {
    if (typeof range !== "string") return [];
    const [, target, aliasRange = ""] = ALIAS.exec(range) ?? [];
    return [target === undefined ? { name, range } : { name, target, range: aliasRange }];
  });
}

/** Accepts a text and the obsolete forms: an object, or a list of objects. */
function licenseOf({ license, licenses }: JsonObject): NpmLicense | undefined {
  const [first = license] = listOf(licenses);
  const declaration = license ?? first;
  if (typeof declaration === "string")
    return declaration.trim() === "" ? undefined : { text: declaration };
  const { type, name, url } = objectOf(declaration);
  const text = textOf(type) ?? textOf(name) ?? textOf(url);
  return text === undefined ? undefined : { text, url: textOf(url) };
}

function repositoryOf(repository: unknown): NpmPage["repository"] {
  const { url, directory } = objectOf(repository);
  const address = textOf(repository) ?? textOf(url);
  return address === undefined ? undefined : { url: address, directory: textOf(directory) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Returns an empty object for any other value. */
export function objectOf(value: unknown): JsonObject {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value)) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
