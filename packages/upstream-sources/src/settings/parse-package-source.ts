import type { Settings } from "@sealhouse/settings";
import { createSource } from "../sources/create-source.ts";
import type { CredentialTexts } from "../sources/create-source.ts";
import type { KeyedSource } from "./parse-registries.ts";
import { credentialsOf } from "./parse-source.ts";
import type { SourceFallbacks } from "./parse-source.ts";
import { UPSTREAM_SETTINGS } from "./table.ts";

const SECOND_MS = 1000;
const KEY = "Mirror__Authentication";

/** The NuGet source of `Mirror__PackageSource`, as hosts for .NET configure it. */
export function parsePackageSource(
  settings: Settings,
  { strategy, signaturePolicy }: SourceFallbacks,
): readonly KeyedSource[] {
  const own = settings.of(UPSTREAM_SETTINGS);
  if (own.get("Mirror__Legacy")) {
    settings.problem(
      "Mirror__Legacy",
      "NuGet v2 feeds are not supported; set Mirror__PackageSource to a v3 service index",
    );
  }
  const url = own.get("Mirror__PackageSource");
  const texts = credentialTexts(settings);
  const timeoutSeconds = own.get("Mirror__PackageDownloadTimeoutSeconds");
  if (url === undefined) {
    if (texts) settings.problem(`${KEY}__Type`, "has no effect without Mirror__PackageSource");
    return [];
  }
  const credentials = texts && credentialsOf(settings, KEY, { protocol: "nuget", texts });
  const source = createSource({
    name: "mirror",
    protocol: "nuget",
    url,
    from: "configuration",
    strategy,
    signaturePolicy,
    ...(credentials && { credentials }),
    ...(timeoutSeconds !== undefined && {
      settings: { firstByteTimeoutMs: timeoutSeconds * SECOND_MS },
    }),
  });
  return [{ key: "Mirror__PackageSource", source }];
}

/** Undefined for the type `None`. Adds problems for keys that the type needs or does not have. */
function credentialTexts(settings: Settings): CredentialTexts | undefined {
  const own = settings.of(UPSTREAM_SETTINGS);
  const type = own.get("Mirror__Authentication__Type");
  const texts = {
    Username: own.get("Mirror__Authentication__Username"),
    Password: own.get("Mirror__Authentication__Password"),
    Token: own.get("Mirror__Authentication__Token"),
  };
  const headers = own.get("Mirror__Authentication__CustomHeaders");
  const needed = NEEDED[type];
  for (const [name, text] of Object.entries(texts)) {
    const isNeeded = needed.includes(name);
    if (isNeeded && text === undefined) {
      settings.problem(`${KEY}__${name}`, `is required with ${KEY}__Type=${type}`);
    }
    if (!isNeeded && text !== undefined) {
      settings.problem(`${KEY}__${name}`, `does not fit ${KEY}__Type=${type}`);
    }
  }
  const hasHeaders = Object.keys(headers).length > 0;
  if (hasHeaders !== (type === "Custom")) {
    const words = hasHeaders ? "do not fit" : "are required with";
    settings.problem(`${KEY}__CustomHeaders`, `${words} ${KEY}__Type=${type}`);
  }
  if (type === "None") return undefined;
  const { Username: username, Password: password, Token: token } = texts;
  if (type === "Basic") return { username, password };
  return type === "Bearer" ? { token } : { headers };
}

const NEEDED: Readonly<Record<"None" | "Basic" | "Bearer" | "Custom", readonly string[]>> = {
  None: [],
  Basic: ["Username", "Password"],
  Bearer: ["Token"],
  Custom: [],
};
