import { typedValues } from "@sealhouse/settings";
import { expect, expectTypeOf, test } from "vitest";
import { extension } from "../index.ts";
import type { KmsAlgorithm } from "../kms-key.ts";
import { AWS_KMS_SETTINGS, AWS_SIGNER_SETTINGS } from "./index.ts";

test("the exported tables are the settings of the modes", () => {
  expect(extension.signingModes["AwsKms"]?.settings).toBe(AWS_KMS_SETTINGS);
  expect(extension.signingModes["AwsSigner"]?.settings).toBe(AWS_SIGNER_SETTINGS);
});

test("the table gives checked values their types", () => {
  const values = typedValues(AWS_KMS_SETTINGS, {
    Signing__AwsKms__Region: "eu-west-1",
    Signing__AwsKms__SigningAlgorithm: "RSASSA_PSS_SHA_256",
  });
  const region = values.get("Signing__AwsKms__Region");
  const algorithm = values.get("Signing__AwsKms__SigningAlgorithm");
  const path = values.get("Signing__AwsKms__CertificatePath");
  expectTypeOf(region).toEqualTypeOf<string>();
  expectTypeOf(algorithm).toEqualTypeOf<KmsAlgorithm>();
  expectTypeOf(path).toEqualTypeOf<string | undefined>();
  expect([region, algorithm, path]).toEqual(["eu-west-1", "RSASSA_PSS_SHA_256", undefined]);
});
