import type { Extension } from "../extension.ts";
import { ADVISORY_SETTINGS } from "@sealhouse/advisories/settings";
import { DATABASE_SETTINGS } from "@sealhouse/database/settings";
import { EVENT_SETTINGS, MAIL_SETTINGS, WEBHOOK_SETTINGS } from "@sealhouse/events/settings";
import { HTTP_SERVER_SETTINGS } from "@sealhouse/http-server/settings";
import {
  ACCESS_SETTINGS,
  IDENTITY_SETTINGS,
  LEAKED_TOKENS_SETTINGS,
  SIGN_IN_SETTINGS,
  TRUSTED_PUBLISHING_SETTINGS,
} from "@sealhouse/identity/settings";
import { NPM_SETTINGS } from "@sealhouse/npm-protocol/settings";
import { NUGET_SETTINGS, RETENTION_SETTINGS } from "@sealhouse/nuget-protocol/settings";
import { OCI_SEAL_SETTINGS, OCI_SETTINGS } from "@sealhouse/oci-distribution/settings";
import { SIGNING_SETTINGS } from "@sealhouse/repo-signing/settings";
import { CHECK_SETTINGS, STORAGE_SETTINGS } from "@sealhouse/storage-providers/settings";
import { UPSTREAM_SETTINGS } from "@sealhouse/upstream-sources/settings";
import type { Setting } from "@sealhouse/settings";

const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** Every setting, once. The documentation is made from this table. */
export const SETTINGS = {
  ASPNETCORE_ENVIRONMENT: {
    kind: { type: "text" },
    fallback: "Production",
    aliases: ["SEALHOUSE_ENVIRONMENT"],
    about:
      "Name of the environment; selects `appsettings.{Environment}.json`, and " +
      "`Development` relaxes the rules for secrets.",
  },
  ASPNETCORE_URLS: {
    kind: { type: "text" },
    fallback: "http://+:8080",
    aliases: ["Urls"],
    about:
      "Addresses to listen on, separated by `;`; `+` and `*` mean all interfaces, port 0 " +
      "any free port.",
  },
  Kestrel__Certificates__Default__Path: {
    kind: { type: "path" },
    about: "Certificate for https addresses: a PFX file, or a PEM file with the chain.",
  },
  Kestrel__Certificates__Default__KeyPath: {
    kind: { type: "path" },
    about: "PEM file with the private key that belongs to a PEM certificate.",
  },
  Kestrel__Certificates__Default__Password: {
    kind: { type: "text" },
    secret: true,
    about: "Password of the PFX file or of the encrypted PEM key.",
  },
  Host__DataPath: {
    kind: { type: "folder" },
    fallback: "./data",
    about: "Folder from which every file default derives; relative to the working folder.",
  },
  Host__ServerName: {
    kind: { type: "text" },
    fallback: "Sealhouse",
    aliases: ["Shield__ServerName"],
    about: "Name people see, and the common name of a self-signed certificate.",
  },
  Host__SecurityContact: {
    kind: { type: "text" },
    otherwise: "none, and the path answers 404",
    about:
      "Contact for reports of vulnerabilities, which `/.well-known/security.txt` names: a mail " +
      "address, or a URI of `https:`, `mailto:` or `tel:`.",
  },
  Host__Extensions: {
    kind: { type: "list", of: { type: "text" } },
    about:
      "Modules that bring further modes: names of installed packages, or paths; each exports " +
      "an `Extension` by the name `extension`.",
  },
  ...IDENTITY_SETTINGS,
  ...LEAKED_TOKENS_SETTINGS,
  ...ACCESS_SETTINGS,
  ...SIGN_IN_SETTINGS,
  Host__ShutdownDelay: {
    kind: { type: "time-span", minMs: 0, maxMs: DAY_MS },
    fallback: "00:00:00",
    about:
      "How long the host continues to serve after a stop signal, while `/health` and " +
      "`/health/ready` answer 503: load balancers stop sending requests in this time.",
  },
  Host__ShutdownTimeout: {
    kind: { type: "time-span", minMs: 0, maxMs: DAY_MS },
    fallback: "00:00:30",
    about: "How long running requests may finish after a stop signal and `Host__ShutdownDelay`.",
  },
  ...EVENT_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...HTTP_SERVER_SETTINGS,
  Logging__LogLevel__Default: {
    kind: {
      type: "choice",
      values: ["Trace", "Debug", "Information", "Warning", "Error", "Critical", "None"],
    },
    fallback: "Information",
    about: "Least level that is logged; reads are logged one by one at `Debug`.",
  },
  Logging__Format: {
    kind: { type: "choice", values: ["Json", "Text"] },
    otherwise: "`Text` in Development, else `Json`",
    about: "Form of the log on standard output: one JSON object per line, or lines for people.",
  },
  Feed__Name: {
    kind: { type: "text" },
    fallback: "default",
    about: "Id of the feed, in health reports, metrics and the OCI token service.",
  },
  Feed__Authentication__AllowAnonymousPull: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Allows reading and pulling without a token, in all three protocols.",
  },
  ...NPM_SETTINGS,
  ...TRUSTED_PUBLISHING_SETTINGS,
  ...NUGET_SETTINGS,
  ...ADVISORY_SETTINGS,
  ...OCI_SETTINGS,
  ...UPSTREAM_SETTINGS,
  ...MAIL_SETTINGS,
  ...CHECK_SETTINGS,
  ...RETENTION_SETTINGS,
  ...DATABASE_SETTINGS,
  ...STORAGE_SETTINGS,
  ...SIGNING_SETTINGS,
  ...OCI_SEAL_SETTINGS,
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingKey = keyof typeof SETTINGS;

/** The table with what extensions bring. */
export function settingsTable(extensions: readonly Extension[]): ReadonlyMap<string, Setting> {
  const table = new Map<string, Setting>(Object.entries(SETTINGS));
  for (const { signingModes = {}, storageTypes = {} } of extensions) {
    const options = [...Object.values(signingModes), ...Object.values(storageTypes)];
    for (const option of options) {
      for (const [key, setting] of Object.entries(option.settings)) table.set(key, setting);
    }
  }
  return table;
}
