import type { SettingsTable } from "@sealhouse/settings";

const secret = (about: string) => ({ kind: { type: "text" }, secret: true, about }) as const;
const text = (about: string) => ({ kind: { type: "text" }, about }) as const;

/** Settings of mail. */
export const MAIL_SETTINGS = {
  EmailSettings__Provider: {
    kind: {
      type: "choice",
      values: [
        "None",
        "Smtp",
        "Postmark",
        "SendGrid",
        "AmazonSes",
        "AzureCommunicationServices",
        "Mailgun",
        "Resend",
      ],
    },
    fallback: "None",
    about: "The server that sends mail: `Smtp`, or the SMTP server of a provider. See `mail.md`.",
  },
  EmailSettings__FromAddress: text("Address that sends mail. Required with a provider."),
  EmailSettings__FromName: {
    kind: { type: "text" },
    otherwise: "`Host__ServerName`",
    about: "Name of the sender.",
  },
  EmailSettings__Administrators: {
    kind: { type: "list", of: { type: "text" } },
    about: "Addresses that get mail about the registry.",
  },
  EmailSettings__Smtp__Host: text("Host name of the SMTP server."),
  EmailSettings__Smtp__Port: {
    kind: { type: "integer", min: 1, max: 65_535 },
    fallback: "587",
    about: "Port of the SMTP server; 465 uses TLS from the start.",
  },
  EmailSettings__Smtp__Username: text("Login of the SMTP server; without it there is no login."),
  EmailSettings__Smtp__Password: secret("Password of the SMTP server."),
  EmailSettings__Smtp__EnableSsl: {
    kind: { type: "boolean" },
    fallback: "true",
    about: "Sends nothing without TLS. `false` sends mail and password in plain text.",
  },
  EmailSettings__Postmark__ServerToken: secret("Server token of Postmark."),
  EmailSettings__SendGrid__ApiKey: secret("API key of SendGrid."),
  EmailSettings__Resend__ApiKey: secret("API key of Resend."),
  EmailSettings__AmazonSes__Region: {
    kind: { type: "text" },
    fallback: "us-east-1",
    about: "Region of Amazon SES.",
  },
  EmailSettings__AmazonSes__AccessKey: text("Access key of Amazon SES."),
  EmailSettings__AmazonSes__SecretKey: secret(
    "Secret key of Amazon SES, from which the SMTP password is derived.",
  ),
  EmailSettings__AmazonSes__ConfigurationSetName: text("Configuration set of Amazon SES."),
  EmailSettings__Mailgun__Username: text("SMTP login of the domain at Mailgun."),
  EmailSettings__Mailgun__Password: secret(
    "SMTP password of the domain at Mailgun. Its API key cannot send by SMTP.",
  ),
  EmailSettings__Mailgun__BaseUrl: {
    kind: { type: "url" },
    fallback: "https://api.mailgun.net",
    about: "`https://api.eu.mailgun.net` selects Mailgun's servers in Europe.",
  },
  EmailSettings__Mailgun__Domain: text(
    "Accepted for other hosts; the SMTP login names the domain.",
  ),
  EmailSettings__Mailgun__ApiKey: secret("Accepted for other hosts; not used."),
  EmailSettings__AzureCommunicationServices__Username: text(
    "SMTP user name of Azure Communication Services.",
  ),
  EmailSettings__AzureCommunicationServices__Password: secret(
    "Client secret of its Entra application. The connection string cannot send by SMTP.",
  ),
  EmailSettings__AzureCommunicationServices__SenderAddress: text(
    "Address that sends mail, in place of `EmailSettings__FromAddress`.",
  ),
  EmailSettings__AzureCommunicationServices__ConnectionString: secret(
    "Accepted for other hosts; not used.",
  ),
} as const satisfies SettingsTable;
