import type { JsonObject } from "../json.ts";
import { dictionary, isObject, stringListOf, stringMapOf } from "../json.ts";
import { parseOldPackageName } from "../package-name.ts";
import { parsePackageVersion } from "../package-version.ts";
import { binOf } from "./command-map.ts";
import hostedGitInfo from "hosted-git-info";

type StringMap = Readonly<Record<string, string>>;

/** The part of a manifest that decides what is installed and what runs, in one normal form: the
 * many ways in which clients write the same thing come out the same. */
export type InstallFields = {
  readonly name: unknown;
  readonly version: unknown;
  readonly dependencies: StringMap;
  readonly optionalDependencies: StringMap;
  readonly peerDependencies: StringMap;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
  readonly bundleDependencies: readonly string[];
  readonly bin: StringMap;
  /** Only those that run when a package is installed. */
  readonly scripts: StringMap;
  readonly engines: StringMap;
  readonly os: readonly string[];
  readonly cpu: readonly string[];
  readonly libc: readonly string[];
};

const NAME_LENGTH_MAX = 214;
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];

/** A publish reads the same two immutable manifests several times. */
const cache = new WeakMap<JsonObject, InstallFields>();

/**
 * Fields of a manifest that control its installation. The result is cached for each manifest
 * object.
 */
export function installFieldsOf(manifest: JsonObject): InstallFields {
  const fields = cache.get(manifest) ?? readInstallFields(manifest);
  cache.set(manifest, fields);
  return fields;
}

function readInstallFields(manifest: JsonObject): InstallFields {
  const { name, version } = manifest;
  const bundleDependencies = bundledOf(manifest);
  return {
    name,
    version: typeof version === "string" ? (parsePackageVersion(version) ?? version) : version,
    dependencies: dependenciesOf(manifest, bundleDependencies),
    optionalDependencies: sorted(dependencyMapOf(manifest["optionalDependencies"])),
    peerDependencies: sorted(stringMapOf(manifest["peerDependencies"])),
    peerDependenciesMeta: peerMetaOf(manifest["peerDependenciesMeta"]),
    bundleDependencies,
    bin: binOf(manifest),
    scripts: installScriptsOf(manifest["scripts"]),
    engines: sorted(stringMapOf(manifest["engines"])),
    os: stringListOf(manifest["os"]),
    cpu: stringListOf(manifest["cpu"]),
    libc: stringListOf(manifest["libc"]),
  };
}

/**
 * Names of all packages that a version depends on at install time, including peers, lower-case. An
 * alias (`npm:other@1`) counts as its target.
 */
export function dependencyNamesOf(manifest: JsonObject): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies } = installFieldsOf(manifest);
  const names = [dependencies, optionalDependencies, peerDependencies]
    .flatMap((map) => Object.entries(map))
    .map(([name, range]) => /^npm:(@?[^@]+)/.exec(range)?.[1] ?? name)
    .filter((name) => name.length <= NAME_LENGTH_MAX && parseOldPackageName(name));
  return [...new Set(names.map((name) => name.toLowerCase()))].toSorted();
}

/** npm drops from `dependencies` what is optional, and adds there what is only bundled. */
function dependenciesOf(manifest: JsonObject, bundled: readonly string[]): StringMap {
  const optional = dependencyMapOf(manifest["optionalDependencies"]);
  const all = Object.entries({
    ...Object.fromEntries(bundled.map((name): [string, string] => [name, "*"])),
    ...dependencyMapOf(manifest["dependencies"]),
  });
  return sorted(dictionary(all.filter(([name]) => !Object.hasOwn(optional, name))));
}

function bundledOf({
  bundleDependencies,
  bundledDependencies,
  dependencies,
}: JsonObject): readonly string[] {
  const bundled = bundleDependencies === undefined ? bundledDependencies : bundleDependencies;
  if (bundled === true) return Object.keys(dependencyMapOf(dependencies)).toSorted();
  if (isObject(bundled)) return Object.keys(bundled).toSorted();
  return Array.isArray(bundled) ? stringListOf(bundled).toSorted() : [];
}

function peerMetaOf(meta: unknown): Readonly<Record<string, { readonly optional: boolean }>> {
  const entries = Object.entries(isObject(meta) ? meta : {});
  return sorted(
    dictionary(
      entries.map(([name, about]) => [
        name,
        { optional: isObject(about) && about["optional"] === true },
      ]),
    ),
  );
}

function installScriptsOf(scripts: unknown): StringMap {
  const all = stringMapOf(scripts);
  return dictionary(
    INSTALL_SCRIPTS.filter((name) => Object.hasOwn(all, name)).map((name) => [
      name,
      // npm takes this path away, because it is on the search path anyway.
      String(all[name]).replace(/^(?:\.[/\\])?node_modules[/\\]\.bin[/\\]/, ""),
    ]),
  );
}

function sorted<T>(map: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return dictionary(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Far longer than any address; the library keeps what it has read. */
const ADDRESS_LENGTH_MAX = 1024;

/**
 * Dependencies as npm normalises them: a text or a list of `name@range` becomes a map, and each
 * spelling of a repository at GitHub, GitLab, Bitbucket or SourceHut, or of a gist, becomes the one
 * that npm writes.
 */
function dependencyMapOf(value: unknown): StringMap {
  const list = typeof value === "string" ? value.trim().split(/[\s,]+/) : value;
  const map = Array.isArray(list) ? listed(list) : stringMapOf(value);
  return dictionary(Object.entries(map).map(([name, spec]) => [name, hostedSpecOf(spec)]));
}

/** Splits as npm does. */
function listed(list: readonly unknown[]): StringMap {
  const texts = list.filter((entry) => typeof entry === "string");
  return dictionary(
    texts.map((text): [string, string] => {
      const [name = "", ...range] = text.trim().split(/(:?[@\s><=])/);
      return [name, range.join("").replace(/^@/, "").trim()];
    }),
  );
}

function hostedSpecOf(spec: string): string {
  if (!/[/:@]/.test(spec) || spec.length > ADDRESS_LENGTH_MAX) return spec;
  return hostedGitInfo.fromUrl(spec)?.toString() ?? spec;
}
