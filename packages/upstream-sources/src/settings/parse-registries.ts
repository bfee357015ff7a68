import type { Section, Settings, SettingsTable, SettingValue } from "@sealhouse/settings";
import { createSource } from "../sources/create-source.ts";
import type { PackageSource } from "../sources/package-source.ts";
import { credentialsOf } from "./parse-source.ts";
import type { SourceFallbacks } from "./parse-source.ts";
import { UPSTREAM_SETTINGS } from "./table.ts";

/** A configured source with its key, for problems. */
export type KeyedSource = { readonly key: string; readonly source: PackageSource };

/** The sources below `Feed__Npm__Mirror` and `Feed__Oci__…__Mirror`. */
export function parseRegistries(
  settings: Settings,
  fallbacks: SourceFallbacks,
): readonly KeyedSource[] {
  return [...npmRegistries(settings, fallbacks), ...ociRegistries(settings, fallbacks)];
}

function npmRegistries(settings: Settings, fallbacks: SourceFallbacks): readonly KeyedSource[] {
  const own = settings.of(UPSTREAM_SETTINGS);
  const strategy = own.get("Feed__Npm__Mirror__CachingStrategy") ?? fallbacks.strategy;
  const sections = own.get("Feed__Npm__Mirror__Registries");
  const url = own.get("Feed__Npm__Mirror__RegistryUrl");
  const parts = { protocol: "npm", name: "npm-mirror", strategy, fallbacks } as const;
  const listed = registriesIn(settings, sections, parts);
  if (url === undefined) {
    refuseUnused(settings, "Feed__Npm__Mirror", listed);
    return listed;
  }
  const key = "Feed__Npm__Mirror__RegistryUrl";
  if (listed.length > 0) {
    settings.problem(key, "cannot be combined with Feed__Npm__Mirror__Registries; list all there");
  }
  const { signaturePolicy } = fallbacks;
  const source = createSource({
    name: "npm-mirror",
    protocol: "npm",
    url,
    from: "configuration",
    strategy,
    signaturePolicy,
  });
  return [{ key, source }, ...listed];
}

function ociRegistries(settings: Settings, fallbacks: SourceFallbacks): readonly KeyedSource[] {
  return ociMirrors(settings).flatMap(({ key, surface }) => {
    const own = settings.of(registryTable(key)) as RegistryValues;
    const strategy = own.get(`${key}__CachingStrategy`) as PackageSource["strategy"] | undefined;
    const sections = own.get(`${key}__Registries`) as readonly Section[];
    const listed = registriesIn(settings, sections, {
      protocol: "oci",
      name: surface === "default" ? "oci-mirror" : `oci-mirror-${surface}`,
      surface,
      strategy: strategy ?? fallbacks.strategy,
      fallbacks,
    });
    refuseUnused(settings, key, listed);
    return listed;
  });
}

type RegistryValues = {
  get(key: string): SettingValue<SettingsTable[string]>;
};

/** The rows of one mirror; the table has them with a `*` for the name. */
function registryTable(key: string): SettingsTable {
  return {
    [`${key}__Registries`]: UPSTREAM_SETTINGS["Feed__Oci__*__Mirror__Registries"],
    [`${key}__CachingStrategy`]: UPSTREAM_SETTINGS["Feed__Oci__*__Mirror__CachingStrategy"],
  };
}

/** The sections `Feed__Oci__Mirror` and `Feed__Oci__{name}__Mirror` that have any key. */
function ociMirrors(
  settings: Settings,
): readonly { readonly key: string; readonly surface: string }[] {
  const mirrors = new Map<string, string>();
  for (const { key, text } of settings.below("Feed__Oci")) {
    const [, , first = "", second = ""] = key.split("__");
    if (text === "") continue;
    if (first.toLowerCase() === "mirror") mirrors.set("Feed__Oci__Mirror", "default");
    else if (second.toLowerCase() === "mirror") {
      const surface = first.toLowerCase();
      if (![...mirrors].some(([named, known]) => known === surface && named.includes(first))) {
        mirrors.set(`Feed__Oci__${first}__Mirror`, surface);
      }
    }
  }
  return [...mirrors].map(([key, surface]) => ({ key, surface }));
}

function refuseUnused(settings: Settings, key: string, listed: readonly KeyedSource[]): void {
  if (listed.length > 0 || !settings.textOf(`${key}__CachingStrategy`)) return;
  settings.problem(`${key}__CachingStrategy`, `has no effect without ${key}__Registries`);
}

function registriesIn(
  settings: Settings,
  sections: readonly Section[],
  parts: Pick<PackageSource, "protocol" | "name" | "strategy"> & {
    readonly surface?: string;
    readonly fallbacks: SourceFallbacks;
  },
): readonly KeyedSource[] {
  const { protocol, name, strategy, surface, fallbacks } = parts;
  return sections.flatMap(({ key, fields }) => {
    const { Url: url, Token: token, Username: username, Password: password, Priority } = fields;
    if (url === undefined) {
      if (!settings.textOf(`${key}__Url`)) {
        settings.problem(`${key}__Url`, "is required for a registry");
      }
      return [];
    }
    const texts = { token, username, password };
    const credentials = credentialsOf(settings, key, { protocol, texts });
    const source = createSource({
      name: `${name}-${key.split("__").at(-1)}`,
      protocol,
      url,
      from: "configuration",
      strategy,
      signaturePolicy: fallbacks.signaturePolicy,
      ...(Priority !== undefined && { priority: Number(Priority) }),
      ...(surface !== undefined && { surface }),
      ...(credentials && { credentials }),
    });
    return [{ key, source }];
  });
}
