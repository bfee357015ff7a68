import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import type { KeyAlgorithm, ProtectionLevel } from "./key-algorithm.ts";
import { keyAlgorithm, SUPPORTED_ALGORITHMS } from "./key-algorithm.ts";
import type { KeyService } from "./key-service.ts";
import { openKeyService } from "./key-service.ts";
import type { ModeValues } from "./mode-values.ts";
import {
  serviceAccountOf,
  endpointOf,
  keyAddressOf,
  keyVersionOf,
  refusal,
} from "./mode-values.ts";

/** Requirements of a mode. */
export type KeyRules = {
  readonly protectionLevel: ProtectionLevel;
  /** Setting that the level comes from, or that names a key with the right one. */
  readonly levelSetting: "ProtectionLevel" | "KeyName";
  /** Name of the single-tenant HSM instance that the key must live in. */
  readonly instance?: string;
};

/** A key version that can sign packages. The caller that opened it must dispose of it. */
export type OpenKey = AsyncDisposable & {
  readonly service: KeyService;
  /** Full resource name of the version. */
  readonly version: string;
  /** Whether the settings name the version, or it is the newest one. */
  readonly pinned: boolean;
  /** SubjectPublicKeyInfo, PEM. */
  readonly publicKey: string;
  readonly algorithm: KeyAlgorithm;
};

/**
 * Finds the key version, and makes sure that it is what the mode asks for.
 *
 * @throws ModeSettingError
 * @throws KmsError
 */
export async function openKey(
  values: ModeValues,
  { rules, callTimeoutMs }: { readonly rules: KeyRules; readonly callTimeoutMs: number },
): Promise<OpenKey> {
  const { projectId, location, keyRing, keyName } = keyAddressOf(values);
  const place = `projects/${projectId}/locations/${location}`;
  const key = `${place}/keyRings/${keyRing}/cryptoKeys/${keyName}`;
  const number = keyVersionOf(values);
  const endpoint = endpointOf(values);
  const account = await serviceAccountOf(values);
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await openKeyService({ endpoint, account, callTimeoutMs }));
  if (rules.instance !== undefined) {
    const instance = `${place}/singleTenantHsmInstances/${rules.instance}`;
    checkInstance(values, { key, instance, backend: await service.backendOf(key) });
  }
  const version =
    number === undefined
      ? await newestVersion(values, service, key)
      : `${key}/cryptoKeyVersions/${number}`;
  const { pem, algorithm: wire, protectionLevel } = await service.publicKey(version);
  const { levelSetting, protectionLevel: requiredLevel } = rules;
  if (protectionLevel !== requiredLevel) {
    const words = `${version} has the protection level ${protectionLevel}, not ${requiredLevel}`;
    throw refusal(values, levelSetting, words);
  }
  const algorithm = keyAlgorithm(wire);
  if (!algorithm) {
    const words = `${version} signs with ${wire}; ${NEEDED}`;
    throw refusal(values, number === undefined ? "KeyName" : "KeyVersion", words);
  }
  const owned = opened.move();
  return {
    service,
    version,
    pinned: number !== undefined,
    publicKey: pem,
    algorithm,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const NEEDED = `NuGet clients need ${SUPPORTED_ALGORITHMS}`;

async function newestVersion(
  values: ModeValues,
  service: KeyService,
  key: string,
): Promise<string> {
  const enabled = await service.enabledVersions(key);
  const [newest] = enabled
    .filter(({ algorithm }) => keyAlgorithm(algorithm))
    .toSorted((keyVersion, other) => numberOf(other.name) - numberOf(keyVersion.name));
  if (newest) return newest.name;
  const others = [...new Set(enabled.map(({ algorithm }) => algorithm))].join(", ");
  throw refusal(
    values,
    "KeyName",
    others === ""
      ? `${key} has no enabled version; enable one, or create one`
      : `${key} has no enabled version that will do, only ${others}; ${NEEDED}`,
  );
}

/** Versions are numbered in order of creation. */
function numberOf(version: string): number {
  return Number(version.slice(version.lastIndexOf("/") + 1));
}

function checkInstance(
  values: ModeValues,
  {
    key,
    instance,
    backend,
  }: { readonly key: string; readonly instance: string; readonly backend: string },
): void {
  if (withoutProjectNumber(backend, instance) === instance) return;
  const where = backend === "" ? "no single-tenant HSM instance" : backend;
  throw refusal(values, "ClusterName", `${key} lives in ${where}, not in ${instance}`);
}

/** Names that Google makes may have the number of a project where people write its name. */
function withoutProjectNumber(backend: string, instance: string): string {
  const [, project = ""] = instance.split("/");
  return backend.replace(/^projects\/\d+\//, () => `projects/${project}/`);
}
