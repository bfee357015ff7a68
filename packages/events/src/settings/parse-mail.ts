import type { Settings } from "@sealhouse/settings";
import type { MailConfig, ServerSettings, SmtpServer } from "../mail/mail-config.ts";
import { PRESETS } from "../mail/presets.ts";
import { MAIL_SETTINGS } from "./mail-table.ts";

type Key = keyof typeof MAIL_SETTINGS;
const IMPLICIT_TLS_PORT = 465;
const ADDRESS = /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\]+$/;

/** Returns the settings of mail; undefined with the provider `None`, or after a problem. */
export function parseMail(settings: Settings): MailConfig | undefined {
  const own = settings.of(MAIL_SETTINGS);
  const provider = own.get("EmailSettings__Provider");
  if (provider === "None") return undefined;
  const needed = (key: Key): string => {
    const value = own.get(key);
    if (typeof value === "string" && value !== "") return value;
    settings.problem(key, `is required with EmailSettings__Provider=${provider}`);
    return "";
  };
  const fromAddress = fromAddressIn(settings, provider, needed);
  const administrators = own.get("EmailSettings__Administrators");
  for (const address of administrators.filter((one) => !ADDRESS.test(one))) {
    settings.problem("EmailSettings__Administrators", `"${address}" is not a mail address`);
  }
  const server = { ...serverOf(settings, provider, needed), settings: SERVER_SETTINGS[provider] };
  const fromName = own.get("EmailSettings__FromName") ?? settings.textOf("Host__ServerName");
  return { fromAddress, fromName: fromName ?? "Sealhouse", administrators, server };
}

type Needed = (key: Key) => string;
type Provider = Exclude<
  (typeof MAIL_SETTINGS)["EmailSettings__Provider"]["kind"]["values"][number],
  "None"
>;

const SERVER_SETTINGS: Readonly<Record<Provider, ServerSettings>> = {
  Smtp: {
    address: "EmailSettings__Smtp__Host and EmailSettings__Smtp__Port",
    tls: "EmailSettings__Smtp__EnableSsl, EmailSettings__Smtp__Port and the server's certificate",
    login: "EmailSettings__Smtp__Username and EmailSettings__Smtp__Password",
  },
  Postmark: presetSettings("EmailSettings__Postmark__ServerToken"),
  SendGrid: presetSettings("EmailSettings__SendGrid__ApiKey"),
  Resend: presetSettings("EmailSettings__Resend__ApiKey"),
  AmazonSes: {
    ...presetSettings(
      "EmailSettings__AmazonSes__AccessKey and EmailSettings__AmazonSes__SecretKey",
    ),
    address: "EmailSettings__AmazonSes__Region",
  },
  Mailgun: {
    ...presetSettings("EmailSettings__Mailgun__Username and EmailSettings__Mailgun__Password"),
    address: "EmailSettings__Mailgun__BaseUrl",
  },
  AzureCommunicationServices: presetSettings(
    "EmailSettings__AzureCommunicationServices__Username and " +
      "EmailSettings__AzureCommunicationServices__Password",
  ),
};

/** A provider's own server, whose address and certificate follow from its name. */
function presetSettings(login: string): ServerSettings {
  const provider = "EmailSettings__Provider, and the way to its server";
  return { address: provider, tls: provider, login };
}

function fromAddressIn(settings: Settings, provider: Provider, needed: Needed): string {
  const own = settings.of(MAIL_SETTINGS);
  const key =
    provider === "AzureCommunicationServices" && own.get("EmailSettings__FromAddress") === undefined
      ? "EmailSettings__AzureCommunicationServices__SenderAddress"
      : "EmailSettings__FromAddress";
  const address = needed(key);
  if (address !== "" && !ADDRESS.test(address)) {
    settings.problem(key, `"${address}" is not a mail address`);
  }
  return address;
}

function serverOf(settings: Settings, provider: Provider, needed: Needed): SmtpServer {
  const own = settings.of(MAIL_SETTINGS);
  switch (provider) {
    case "Smtp":
      return smtpOf(settings, needed);
    case "Postmark":
      return PRESETS.postmark({ token: needed("EmailSettings__Postmark__ServerToken") });
    case "SendGrid":
      return PRESETS.sendGrid({ key: needed("EmailSettings__SendGrid__ApiKey") });
    case "Resend":
      return PRESETS.resend({ key: needed("EmailSettings__Resend__ApiKey") });
    case "AmazonSes":
      return PRESETS.amazonSes({
        region: own.get("EmailSettings__AmazonSes__Region"),
        accessKey: needed("EmailSettings__AmazonSes__AccessKey"),
        secretKey: needed("EmailSettings__AmazonSes__SecretKey"),
        configurationSet: own.get("EmailSettings__AmazonSes__ConfigurationSetName"),
      });
    case "Mailgun":
      return PRESETS.mailgun({
        username: needed("EmailSettings__Mailgun__Username"),
        password: needed("EmailSettings__Mailgun__Password"),
        isEuropean: own.get("EmailSettings__Mailgun__BaseUrl").includes("//api.eu."),
      });
    case "AzureCommunicationServices":
      return PRESETS.azure({
        username: needed("EmailSettings__AzureCommunicationServices__Username"),
        password: needed("EmailSettings__AzureCommunicationServices__Password"),
      });
  }
}

function smtpOf(settings: Settings, needed: Needed): SmtpServer {
  const own = settings.of(MAIL_SETTINGS);
  const port = own.get("EmailSettings__Smtp__Port");
  const username = own.get("EmailSettings__Smtp__Username");
  const tls = port === IMPLICIT_TLS_PORT ? "implicit" : "required";
  return {
    host: needed("EmailSettings__Smtp__Host"),
    port,
    tls: own.get("EmailSettings__Smtp__EnableSsl") ? tls : "off",
    ...(username !== undefined && {
      username,
      password: needed("EmailSettings__Smtp__Password"),
    }),
  };
}
