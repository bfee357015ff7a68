import { fieldsOf } from "../json-fields.ts";
import type { RefusedPerson, VerifiedPerson } from "../provider.ts";
import { refuse } from "../refusal.ts";
import type { GitHubApi } from "./github-api.ts";

/** The account of an access token. */
export type GitHubAccount = Pick<
  VerifiedPerson,
  "subject" | "shown" | "displayName" | "email" | "hasSecondFactor"
> & { readonly status: "account" };

/** Reads the account, which must be that of `subject`. Logins may change; the numeric id stays. */
export async function readAccount(
  api: GitHubApi,
  { accessToken, subject }: { readonly accessToken: string; readonly subject?: string },
): Promise<GitHubAccount | RefusedPerson> {
  const { status, fields } = await api.get("/user", accessToken);
  const { id, login, name, email, two_factor_authentication: secondFactor } = fields;
  if (status !== 200 || typeof id !== "number" || typeof login !== "string") {
    return refuse(
      "access-ended",
      "GitHub has ended the access of this registry to your account. Sign in again.",
    );
  }
  if (subject !== undefined && subject !== String(id)) {
    return refuse("account-changed", "The access belongs to another account.", login);
  }
  const address = typeof email === "string" ? email : await readAddress(api, accessToken);
  return {
    status: "account",
    subject: String(id),
    shown: login,
    displayName: typeof name === "string" && name !== "" ? name : login,
    ...(address !== undefined && { email: address }),
    ...(typeof secondFactor === "boolean" && { hasSecondFactor: secondFactor }),
  };
}

/** The primary address, when GitHub has verified it. */
async function readAddress(api: GitHubApi, accessToken: string): Promise<string | undefined> {
  const { status, fields } = await api.get("/user/emails", accessToken);
  if (status !== 200) return undefined;
  const entries = Object.values(fields).map(fieldsOf);
  const primary = entries.find((entry) => entry["primary"] === true && entry["verified"] === true);
  return typeof primary?.["email"] === "string" ? primary["email"] : undefined;
}
