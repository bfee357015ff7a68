import type { GetSigningProfileResponse } from "@aws-sdk/client-signer";
import type { ModeContext, Signer, SigningMode } from "@sealhouse/repo-signing";
import { ModeSettingError } from "@sealhouse/repo-signing";
import type { AwsAccount } from "./aws-account.ts";
import { accountOf, clientOptions } from "./aws-account.ts";
import { AWS_SIGNER_SETTINGS } from "./settings/table.ts";
import { explained, withAwsWords } from "./aws-failure.ts";

const SECTION = "Signing__AwsSigner";
const PROFILE = `${SECTION}__ProfileName`;
const TIMEOUT_MS = 10_000;

/** A signing profile of AWS Signer that is active. */
export type SigningProfile = {
  readonly name: string;
  readonly arn: string;
  /** Changes when the profile is created again under the same name. */
  readonly versionArn: string;
  /** `Notation-OCI-SHA384-ECDSA`, `AWSLambda-SHA384-ECDSA` … */
  readonly platformId: string;
};

/** Arguments of a registered signer: the checked settings of the mode. */
export type AwsSignerContext = ModeContext & AwsAccount & { readonly profile: SigningProfile };

/**
 * Makes the signer of mode `AwsSigner`; what it opens is disposed of in the end. Called at start
 * and hourly, to notice a new certificate.
 *
 * @throws ModeSettingError when a setting has to be corrected
 * @throws SigningError when the key service or the certificate does not do
 */
export type OpenAwsSigner = (
  context: AwsSignerContext,
) => Promise<Signer & Partial<AsyncDisposable>>;

/**
 * AWS Signer signs payloads and objects in S3, in its own formats. It signs no digests and creates
 * no CMS, so NuGet signatures need the signer that is registered here.
 */
export function awsSigner(
  openSigner: OpenAwsSigner | undefined,
  { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): SigningMode {
  return {
    settings: AWS_SIGNER_SETTINGS,
    async open(context) {
      if (!openSigner) throw new ModeSettingError("Signing__Mode", NO_SIGNER);
      const account = accountOf(SECTION, context);
      const profile = await activeProfile(account, context, timeoutMs);
      return openSigner({ ...context, ...account, profile });
    },
  };
}

const NO_SIGNER =
  "AWS Signer signs whole files and objects in S3, in its own formats, and no digests: it " +
  "cannot make a NuGet signature by itself. Use AwsKms with a key in AWS KMS, or register a " +
  "signer for AwsSigner with a module in Host__Extensions.";

async function activeProfile(
  account: AwsAccount,
  { values }: ModeContext,
  timeoutMs: number,
): Promise<SigningProfile> {
  const profileName = values[PROFILE];
  if (profileName === undefined) throw new ModeSettingError(PROFILE, "It is required.");
  const { GetSigningProfileCommand, SignerClient } = await import("@aws-sdk/client-signer");
  const client = new SignerClient(clientOptions(account));
  const abortSignal = AbortSignal.timeout(timeoutMs);
  const call = {
    target: `profile ${profileName} of AWS Signer in ${account.region}`,
    action: "signer:GetSigningProfile",
    setting: PROFILE,
    section: SECTION,
    account,
  };
  try {
    const answer = await explained(call, abortSignal, () =>
      client.send(new GetSigningProfileCommand({ profileName }), { abortSignal }),
    );
    return checkedProfile(profileName, answer);
  } catch (error) {
    throw withAwsWords(error);
  } finally {
    client.destroy();
  }
}

function checkedProfile(name: string, answer: GetSigningProfileResponse): SigningProfile {
  const { status = "unknown", statusReason, arn, profileVersionArn, platformId } = answer;
  if (status !== "Active") {
    const why = statusReason === undefined ? "" : ` (${statusReason})`;
    throw new ModeSettingError(
      PROFILE,
      `The state of the profile ${name} is ${status}${why}. Name an active one.`,
    );
  }
  return {
    name,
    arn: arn ?? "",
    versionArn: profileVersionArn ?? "",
    platformId: platformId ?? "",
  };
}
