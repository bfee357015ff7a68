import type { Signer } from "@sealhouse/repo-signing";
import { createTestSigner, testModeContext } from "@sealhouse/repo-signing/testing";
import { expect, test } from "vitest";
import { awsSigner } from "./aws-signer.ts";
import type { AwsSignerContext } from "./aws-signer.ts";
import { awsSigning, extension } from "./aws-signing.ts";
import { startAwsSignerStandIn } from "./testing/aws-signer-stand-in.ts";
import { signerSettings } from "./testing/stand-in-settings.ts";

test("the extension brings both modes, with the keys of the specification", () => {
  expect(Object.keys(extension.signingModes)).toEqual(["AwsKms", "AwsSigner"]);
  const { AwsKms, AwsSigner } = extension.signingModes;
  const account = ["Region", "AccessKeyId", "SecretAccessKey", "SecretAccessKeyConfigurationKey"];
  const kms = [...account, "KeyId", "SigningAlgorithm"].map((key) => `Signing__AwsKms__${key}`);
  expect(Object.keys(AwsKms?.settings ?? {})).toEqual(expect.arrayContaining(kms));
  const signer = [...account, "ProfileName"].map((key) => `Signing__AwsSigner__${key}`);
  expect(Object.keys(AwsSigner?.settings ?? {})).toEqual(expect.arrayContaining(signer));
  for (const mode of [AwsKms, AwsSigner]) {
    const settings = Object.entries(mode?.settings ?? {});
    const secrets = settings.filter(([, { secret }]) => secret).map(([key]) => key);
    expect(secrets.map((key) => key.replace(/.*__/, ""))).toEqual([
      "SecretAccessKey",
      "SessionToken",
    ]);
  }
});

test("AwsSigner alone cannot sign packages, and names the alternatives", async () => {
  const mode = extension.signingModes["AwsSigner"];
  if (!mode) throw new Error("there is no such mode");
  await using standIn = await startAwsSignerStandIn();
  await expect(mode.open(testModeContext(mode, signerSettings(standIn)))).rejects.toMatchObject({
    name: "ModeSettingError",
    key: "Signing__Mode",
    message: expect.stringMatching(/no digests.* Use AwsKms .* Host__Extensions/),
  });
});

test("a registered signer gets the profile and the account, and is used unchanged", async () => {
  await using standIn = await startAwsSignerStandIn();
  const own: Signer & AsyncDisposable = {
    ...(await createTestSigner()),
    [Symbol.asyncDispose]: async () => undefined,
  };
  const contexts: AwsSignerContext[] = [];
  const mode = awsSigning({
    async awsSigner(context) {
      contexts.push(context);
      return own;
    },
  }).signingModes["AwsSigner"];
  if (!mode) throw new Error("there is no such mode");
  const settings = {
    ...signerSettings(standIn),
    Signing__AwsSigner__SecretAccessKey: "",
    Signing__AwsSigner__SecretAccessKeyConfigurationKey: "Signer_Secret",
  };
  const variables = { Signer_Secret: standIn.account.secretAccessKey };
  expect(await mode.open(testModeContext(mode, settings, variables))).toBe(own);
  const { region, accessKeyId, secretAccessKey } = standIn.account;
  expect(contexts).toMatchObject([
    {
      region,
      serviceUrl: standIn.url,
      credentials: { accessKeyId, secretAccessKey },
      profile: {
        name: "feed",
        arn: standIn.profileArn,
        versionArn: `${standIn.profileArn}/a1b2c3d4e5`,
        platformId: "Notation-OCI-SHA384-ECDSA",
      },
    },
  ]);
});

test.each(["Canceled", "Revoked"] as const)("a profile that is %s is refused", async (status) => {
  await using standIn = await startAwsSignerStandIn({ status });
  await expect(openWith(signerSettings(standIn))).rejects.toMatchObject({
    name: "ModeSettingError",
    key: "Signing__AwsSigner__ProfileName",
    message: `The state of the profile feed is ${status} (by the test). Name an active one.`,
  });
});

test.each([
  [{ ProfileName: "other" }, undefined, false, /profile other .*correct .*__ProfileName/],
  [{ SecretAccessKey: "wrong" }, undefined, false, /Correct .*AwsSigner__SecretAccessKey/],
  [{}, "AccessDeniedException", false, /Allow signer:GetSigningProfile .*target.s\.$/],
  [{}, "TooManyRequestsException", true, /TooManyRequestsException/],
])("what AWS refuses is explained (%j %s)", async (settings, error, retryable, message) => {
  await using standIn = await startAwsSignerStandIn(error === undefined ? {} : { error });
  const own = Object.entries(settings).map(([key, text]) => [`Signing__AwsSigner__${key}`, text]);
  const opening = openWith({ ...signerSettings(standIn), ...Object.fromEntries(own) });
  await expect(opening).rejects.toMatchObject({ problem: "signer", retryable });
  await expect(opening).rejects.toThrow(message);
});

test("half a pair of credentials is refused before AWS is asked", async () => {
  await using standIn = await startAwsSignerStandIn();
  const settings = { ...signerSettings(standIn), Signing__AwsSigner__SecretAccessKey: "" };
  await expect(openWith(settings)).rejects.toMatchObject({
    name: "ModeSettingError",
    key: "Signing__AwsSigner__SecretAccessKey",
  });
});

function openWith(settings: Readonly<Record<string, string>>) {
  const mode = awsSigner(() => createTestSigner());
  return mode.open(testModeContext(mode, settings));
}
