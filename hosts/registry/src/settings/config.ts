import { parseSecurityContact } from "../http/security-contact.ts";
import { parseCheck, parseStorage } from "@sealhouse/storage-providers/settings";
import type { CheckConfig, StorageConfig } from "@sealhouse/storage-providers/settings";
import { join, resolve } from "node:path";
import type { Extension } from "../extension.ts";
import { parseDatabase } from "@sealhouse/database/settings";
import type { DatabaseStart } from "@sealhouse/database/settings";
import type { MailConfig } from "@sealhouse/events";
import { parseAudit, parseMail, parseWebhooks } from "@sealhouse/events/settings";
import type { AuditConfig, WebhookConfig } from "@sealhouse/events/settings";
import { parseFeed } from "./feed.ts";
import type { FeedConfig } from "./feed.ts";
import type { ListenAddress } from "@sealhouse/http-server";
import {
  checkPublicUrls,
  parseHttpServer,
  parseListenAddresses,
} from "@sealhouse/http-server/settings";
import type { HttpServerConfig } from "@sealhouse/http-server/settings";
import { parseOciGarbage, parseOciSeal, parseOciTags } from "@sealhouse/oci-distribution/settings";
import type {
  OciGarbageConfig,
  OciSealConfig,
  OciTagsConfig,
} from "@sealhouse/oci-distribution/settings";
import { ociNamePatterns } from "./name-patterns.ts";
import {
  parseAccess,
  parseKeyRing,
  parseLeakedTokens,
  parsePepper,
  parseSignIn,
} from "@sealhouse/identity/settings";
import type {
  AccessConfig,
  KeyRingConfig,
  LeakedTokensConfig,
  SignInConfig,
} from "@sealhouse/identity/settings";
import type { PepperSource } from "@sealhouse/identity";
import { parseRetention } from "@sealhouse/nuget-protocol/settings";
import type { RetentionConfig } from "@sealhouse/nuget-protocol/settings";
import type { Settings, SettingValue } from "./settings.ts";
import type { ExtensionOptions as ConfigOptions } from "@sealhouse/settings";
import { parseSigning } from "@sealhouse/repo-signing/settings";
import type { SigningConfig } from "@sealhouse/repo-signing/feed";
import {
  parseLocalCache,
  parseMirror,
  parseUpstreamSearch,
  sourceSurroundings,
} from "@sealhouse/upstream-sources/settings";
import type {
  LocalCacheConfig,
  MirrorConfig,
  UpstreamSearchConfig,
} from "@sealhouse/upstream-sources/settings";
import { refuseKeys } from "./refused-keys.ts";
import { settingsTable } from "./table.ts";

/** Everything the host needs to know, checked. */
export type Config = DatabaseStart & {
  readonly environment: string;
  readonly development: boolean;
  /** Absolute. */
  readonly dataPath: string;
  readonly host: HostConfig;
  readonly feed: FeedConfig;
  readonly storage: StorageConfig;
  readonly signing: SigningConfig;
  /** Signing of container images; undefined when it is off. */
  readonly ociSeal?: OciSealConfig;
  readonly retention: RetentionConfig;
  readonly ociTags: OciTagsConfig;
  readonly check: CheckConfig;
  readonly ociGarbage: OciGarbageConfig;
  readonly mirror: MirrorConfig;
  readonly upstreamSearch: UpstreamSearchConfig;
  /** Undefined = not used. */
  readonly localCache: LocalCacheConfig | undefined;
  readonly webhooks: WebhookConfig;
  /** Undefined: no mail. */
  readonly mail?: MailConfig;
  /** Undefined: no sign-in; operators create tokens. */
  readonly signIn?: SignInConfig;
};

export type HostConfig = HttpServerConfig &
  AuditConfig & {
    readonly serverName: string;
    /** The URI of the contact for reports of vulnerabilities. */
    readonly securityContact?: string;
    readonly addresses: readonly ListenAddress[];
    readonly certificate?: CertificateFiles;
    readonly shutdownDelayMs: number;
    readonly shutdownTimeoutMs: number;
    readonly pepper: PepperSource;
    readonly keyRing: KeyRingConfig;
    readonly leakedTokens: LeakedTokensConfig;
    readonly access: AccessConfig;
    readonly log: {
      readonly level: SettingValue<"Logging__LogLevel__Default">;
      readonly format: "Json" | "Text";
    };
  };

export type CertificateFiles = {
  readonly path: string;
  readonly keyPath?: string;
  readonly password?: string;
};

/** Parses every section; what is wrong is in `settings.problems` afterwards, all of it. */
export function parseConfig(
  settings: Settings,
  extensions: readonly Extension[] = [],
  options: ConfigOptions = {},
): Config {
  const environment = settings.get("ASPNETCORE_ENVIRONMENT");
  const development = environment.toLowerCase() === "development";
  const dataPath = resolve(settings.get("Host__DataPath"));
  const ociSeal = parseOciSeal(settings);
  const mail = parseMail(settings);
  const signIn = parseSignIn(settings);
  const feed = parseFeed(settings);
  if (!development) checkPublicUrls(settings, feed.publicBaseUrls);
  const config = {
    environment,
    development,
    dataPath,
    host: parseHost(settings, development, dataPath),
    feed,
    ...parseDatabase(settings, dataPath),
    storage: parseStorage(settings, dataPath, extensions),
    signing: parseSigning(settings, {
      extensions,
      serverName: settings.get("Host__ServerName"),
      ...options,
    }),
    ...(ociSeal && { ociSeal }),
    retention: parseRetention(settings),
    ociTags: parseOciTags(settings, ociNamePatterns),
    check: parseCheck(settings),
    ociGarbage: parseOciGarbage(settings),
    mirror: parseMirror(settings, sourceSurroundings(feed)),
    upstreamSearch: parseUpstreamSearch(settings),
    localCache: parseLocalCache(settings),
    webhooks: parseWebhooks(settings),
    ...(mail && { mail }),
    ...(signIn && { signIn }),
  };
  refuseUnknownAdvisories(settings, config);
  refuseKeys(settings, settingsTable(extensions));
  return config;
}

/** A misspelled name would hold every fix back. */
function refuseUnknownAdvisories(
  settings: Settings,
  { feed, mirror }: Pick<Config, "feed" | "mirror">,
): void {
  const names = feed.vulnerabilities.sources.map(({ name }) => name);
  mirror.fastLane.forEach((name, index) => {
    if (names.includes(name)) return;
    settings.problem(
      `Mirror__FastLaneAdvisories__${index}`,
      `"${name}" is not the Name of an entry of Feed__Vulnerabilities__Sources`,
    );
  });
}

function parseHost(settings: Settings, development: boolean, dataPath: string): HostConfig {
  const addresses = parseListenAddresses(settings.get("ASPNETCORE_URLS"), (problem) =>
    settings.problem("ASPNETCORE_URLS", problem),
  );
  const certificate = parseCertificate(settings);
  if (!certificate && addresses.some((address) => address.protocol === "https")) {
    settings.problem(
      "ASPNETCORE_URLS",
      "an https address needs a certificate: set Kestrel__Certificates__Default__Path",
    );
  }
  const contact = settings.get("Host__SecurityContact");
  const securityContact = contact === undefined ? undefined : parseSecurityContact(contact);
  if (contact !== undefined && securityContact === undefined) {
    settings.problem(
      "Host__SecurityContact",
      `"${contact}" is not a mail address and no URI of https:, mailto: or tel:`,
    );
  }
  return {
    serverName: settings.get("Host__ServerName"),
    ...(securityContact !== undefined && { securityContact }),
    addresses,
    ...(certificate && { certificate }),
    shutdownDelayMs: settings.get("Host__ShutdownDelay"),
    shutdownTimeoutMs: settings.get("Host__ShutdownTimeout"),
    ...parseHttpServer(settings),
    ...parseAudit(settings),
    pepper: parsePepper(settings, { development, path: join(dataPath, "token-hash-pepper") }),
    keyRing: parseKeyRing(settings, dataPath),
    leakedTokens: parseLeakedTokens(settings, {
      allowHttp: settings.get("Host__OutgoingRequests__AllowPrivateAddresses"),
    }),
    access: parseAccess(settings),
    log: {
      level: settings.get("Logging__LogLevel__Default"),
      format: settings.get("Logging__Format") ?? (development ? "Text" : "Json"),
    },
  };
}

function parseCertificate(settings: Settings): CertificateFiles | undefined {
  const path = settings.get("Kestrel__Certificates__Default__Path");
  const keyPath = settings.get("Kestrel__Certificates__Default__KeyPath");
  const password = settings.get("Kestrel__Certificates__Default__Password");
  if (path === undefined) return undefined;
  return {
    path: resolve(path),
    ...(keyPath !== undefined && { keyPath: resolve(keyPath) }),
    ...(password !== undefined && { password }),
  };
}
