import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { certificateOfKey, createRemoteKey, signerOfKey } from "@sealhouse/repo-signing";
import type { RemoteKeyOptions, SigningExtension, SigningMode } from "@sealhouse/repo-signing";
import type { KeyRules, OpenKey } from "./open-key.ts";
import { openKey } from "./open-key.ts";
import type { ModeValues, Section } from "./mode-values.ts";
import { GCP_HSM_SETTINGS, GCP_KMS_SETTINGS } from "./settings/table.ts";
import { segmentOf, textOf } from "./mode-values.ts";

const CALL_TIMEOUT_MS = 5_000;

/** Opens nothing and loads nothing of Google's before a mode is opened. */
export function googleSigning(
  options: {
    /**
     * Timeout of one call of Cloud KMS in milliseconds; a signature may take several. Default
     * 5,000.
     */
    readonly callTimeoutMs?: number;
  } = {},
): SigningExtension {
  const { callTimeoutMs = CALL_TIMEOUT_MS } = options;
  return {
    name: "@sealhouse/signing-google",
    signingModes: { GcpKms: gcpKms(callTimeoutMs), GcpHsm: gcpHsm(callTimeoutMs) },
  };
}

function gcpKms(callTimeoutMs: number): SigningMode {
  const section = "Signing__GcpKms";
  const settings = GCP_KMS_SETTINGS;
  return modeOf({ section, settings, callTimeoutMs }, (values) => ({
    protectionLevel: textOf(values, "ProtectionLevel") === "Software" ? "SOFTWARE" : "HSM",
    levelSetting: "ProtectionLevel",
  }));
}

function gcpHsm(callTimeoutMs: number): SigningMode {
  const section = "Signing__GcpHsm";
  const settings = GCP_HSM_SETTINGS;
  return modeOf({ section, settings, callTimeoutMs }, (values) => ({
    protectionLevel: "HSM_SINGLE_TENANT",
    levelSetting: "KeyName",
    instance: segmentOf(values, "ClusterName"),
  }));
}

function modeOf(
  mode: Pick<SigningMode, "settings"> & {
    readonly section: Section;
    readonly callTimeoutMs: number;
  },
  rulesOf: (values: ModeValues) => KeyRules,
): SigningMode {
  const { section, settings, callTimeoutMs } = mode;
  const find = async (values: ModeValues) =>
    openKey(values, { rules: rulesOf(values), callTimeoutMs });
  return {
    settings,
    async open(context) {
      const values = { section, context };
      const certificate = await certificateOfKey(section, context);
      await using opened = new AsyncDisposableStack();
      const key = opened.use(await find(values));
      const signer = await signerOfKey(remoteOf(key), certificate, {
        context,
        insteadOfPss: "A key for RSA_SIGN_PKCS1 works everywhere.",
        otherKey: key.pinned ? "" : otherKey(section),
      });
      const owned = opened.move();
      return { ...signer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
    },
    async openKey(context) {
      await using opened = new AsyncDisposableStack();
      const key = opened.use(await find({ section, context }));
      const remote = createRemoteKey(remoteOf(key));
      const owned = opened.move();
      return { ...remote, [Symbol.asyncDispose]: () => owned.disposeAsync() };
    },
  };
}

function remoteOf({ service, version, publicKey, algorithm }: OpenKey): RemoteKeyOptions {
  const { hash, scheme } = algorithm;
  return {
    hash,
    scheme,
    publicKey,
    keyName: `key version ${version}`,
    signDigest: (digest, signal) => service.sign(version, digest, { hash, signal }),
  };
}

function otherKey(section: Section): string {
  return (
    `That version is the newest; ${section}__KeyVersion can name an older one until the ` +
    "certificate of the new one is there."
  );
}
