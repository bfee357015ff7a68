import { createHmac } from "node:crypto";
import type { SmtpServer } from "./mail-config.ts";

type Login = { readonly username: string; readonly password: string };

/** The SMTP servers of providers, with their logins. */
export const PRESETS = {
  postmark: ({ token }: { readonly token: string }) =>
    starttls("smtp.postmarkapp.com", { username: token, password: token }),
  sendGrid: ({ key }: { readonly key: string }) =>
    starttls("smtp.sendgrid.net", { username: "apikey", password: key }),
  resend: ({ key }: { readonly key: string }): SmtpServer => ({
    host: "smtp.resend.com",
    port: 465,
    tls: "implicit",
    username: "resend",
    password: key,
  }),
  amazonSes: (ses: {
    readonly region: string;
    readonly accessKey: string;
    readonly secretKey: string;
    readonly configurationSet?: string | undefined;
  }): SmtpServer => ({
    ...starttls(`email-smtp.${ses.region}.amazonaws.com`, {
      username: ses.accessKey,
      password: sesPassword(ses),
    }),
    ...(ses.configurationSet !== undefined && {
      headers: { "X-SES-CONFIGURATION-SET": ses.configurationSet },
    }),
  }),
  mailgun: ({ isEuropean, ...login }: Login & { readonly isEuropean: boolean }) =>
    starttls(isEuropean ? "smtp.eu.mailgun.org" : "smtp.mailgun.org", login),
  azure: (login: Login) => starttls("smtp.azurecomm.net", login),
} as const;

function starttls(host: string, { username, password }: Login): SmtpServer {
  return { host, port: 587, tls: "required", username, password };
}

/** Fixed parts of the password of Amazon SES, which follows from the secret key and the region. */
const SES = { date: "11111111", service: "ses", end: "aws4_request", message: "SendRawEmail" };
const SES_VERSION = 0x04;

/** Returns the SMTP password of an access key of Amazon SES. */
export function sesPassword({
  region,
  secretKey,
}: {
  readonly region: string;
  readonly secretKey: string;
}): string {
  const { date, service, end, message } = SES;
  let signature: Uint8Array = Buffer.from(`AWS4${secretKey}`, "utf8");
  for (const part of [date, region, service, end, message]) {
    signature = createHmac("sha256", signature).update(part).digest();
  }
  return Buffer.concat([Buffer.of(SES_VERSION), signature]).toString("base64");
}
