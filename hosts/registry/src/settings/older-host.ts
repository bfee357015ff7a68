/** A setting of the older .NET host that this one does not have. Where ignoring it would change
 * what the operator means, it stops the start and names what to use instead. */
export type OlderSetting = {
  /** A key, or a section with all keys below it; `*` matches one name. */
  readonly section: string;
  /** Values that mean what this host does anyway; an empty value always does. */
  readonly harmless?: readonly string[];
  /** A sentence: what to do. */
  readonly instead: string;
};

export const OLDER_SETTINGS: readonly OlderSetting[] = [
  {
    section: "ApiKey",
    instead: "create a token with `sealhouse token create --scopes write`",
  },
  {
    section: "PathBase",
    instead:
      "serve the host below a path with a proxy that sends X-Forwarded-Prefix, and set " +
      "Feed__PublicBaseUrl",
  },
  {
    section: "Search__Type",
    harmless: ["Database"],
    instead: "leave it out; search always uses the database",
  },
  {
    section: "Caching",
    instead: "leave it out; documents are stored and small files are cached without settings",
  },
  { section: "LocalCache", instead: "leave it out; this host needs no local cache" },
  {
    section: "EnableVulnerabilityInfo",
    harmless: ["false"],
    instead: "name the sources of advisories in Feed__Vulnerabilities__Sources",
  },
  {
    section: "Feed__Oci__*__Profile",
    harmless: ["General"],
    instead: "leave it out; every segment takes images, Helm charts and other artifacts",
  },
  {
    section: "Feed__Storage__Prefix",
    instead:
      "leave it out; name the folder or bucket in Storage__Path or the storage's own settings",
  },
  {
    section: "Host__Access",
    instead:
      "use Feed__Authentication__AllowAnonymousPull for reading and tokens with patterns and " +
      "networks for the rest",
  },
];

/** The older setting that a key belongs to. */
export function olderSettingOf(key: string): OlderSetting | undefined {
  const parts = key.toLowerCase().split("__");
  return OLDER_SETTINGS.find(({ section }) => {
    const wanted = section.toLowerCase().split("__");
    return wanted.every((part, index) => part === "*" || part === parts[index]);
  });
}
