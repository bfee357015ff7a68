import { createSettings, readSources } from "@sealhouse/settings";
import { expect, test } from "vitest";
import { MAIL_SETTINGS, parseMail, parseWebhooks, WEBHOOK_SETTINGS } from "./index.ts";

const FROM = { EmailSettings__FromAddress: "registry@acme.example" };

function settingsOf(env: Readonly<Record<string, string>>) {
  const table = { ...MAIL_SETTINGS, ...WEBHOOK_SETTINGS };
  const sources = { environmentKey: "Environment", args: [], folders: [] };
  const { entries } = readSources({ ...sources, table, env, readFile: () => undefined });
  return createSettings(entries, { table, env });
}

test("without a provider there is no mail, and its other keys mean nothing", () => {
  const settings = settingsOf({ EmailSettings__Smtp__Host: "smtp.acme.example" });
  expect(parseMail(settings)).toBeUndefined();
  expect(settings.problems).toEqual([]);
});

test.each([
  ["Smtp", ["EmailSettings__FromAddress", "EmailSettings__Smtp__Host"]],
  ["Postmark", ["EmailSettings__FromAddress", "EmailSettings__Postmark__ServerToken"]],
  ["SendGrid", ["EmailSettings__FromAddress", "EmailSettings__SendGrid__ApiKey"]],
  ["Resend", ["EmailSettings__FromAddress", "EmailSettings__Resend__ApiKey"]],
  [
    "AmazonSes",
    [
      "EmailSettings__FromAddress",
      "EmailSettings__AmazonSes__AccessKey",
      "EmailSettings__AmazonSes__SecretKey",
    ],
  ],
  [
    "Mailgun",
    [
      "EmailSettings__FromAddress",
      "EmailSettings__Mailgun__Username",
      "EmailSettings__Mailgun__Password",
    ],
  ],
  [
    "AzureCommunicationServices",
    [
      "EmailSettings__AzureCommunicationServices__SenderAddress",
      "EmailSettings__AzureCommunicationServices__Username",
      "EmailSettings__AzureCommunicationServices__Password",
    ],
  ],
])("%s without its keys names each missing one", (provider, keys) => {
  const settings = settingsOf({ EmailSettings__Provider: provider });
  parseMail(settings);
  expect(settings.problems.map((problem) => problem.split(":")[0])).toEqual(keys);
});

test.each<[string, Readonly<Record<string, string>>, object]>([
  [
    "Smtp",
    { EmailSettings__Smtp__Host: "smtp.acme.example", EmailSettings__Smtp__Port: "465" },
    { host: "smtp.acme.example", port: 465, tls: "implicit" },
  ],
  [
    "Smtp",
    { EmailSettings__Smtp__Host: "smtp.acme.example" },
    { host: "smtp.acme.example", port: 587, tls: "required" },
  ],
  [
    "Smtp",
    { EmailSettings__Smtp__Host: "smtp.acme.example", EmailSettings__Smtp__EnableSsl: "false" },
    { port: 587, tls: "off" },
  ],
  [
    "Postmark",
    { EmailSettings__Postmark__ServerToken: "t" },
    { host: "smtp.postmarkapp.com", port: 587, tls: "required", username: "t", password: "t" },
  ],
  [
    "SendGrid",
    { EmailSettings__SendGrid__ApiKey: "k" },
    { host: "smtp.sendgrid.net", username: "apikey", password: "k" },
  ],
  [
    "Resend",
    { EmailSettings__Resend__ApiKey: "k" },
    { host: "smtp.resend.com", port: 465, tls: "implicit", username: "resend" },
  ],
  [
    "Mailgun",
    {
      EmailSettings__Mailgun__Username: "u",
      EmailSettings__Mailgun__Password: "p",
      EmailSettings__Mailgun__BaseUrl: "https://api.eu.mailgun.net",
    },
    { host: "smtp.eu.mailgun.org", username: "u" },
  ],
  [
    "AmazonSes",
    {
      EmailSettings__AmazonSes__AccessKey: "a",
      EmailSettings__AmazonSes__SecretKey: "s",
      EmailSettings__AmazonSes__Region: "eu-west-1",
      EmailSettings__AmazonSes__ConfigurationSetName: "c",
    },
    {
      host: "email-smtp.eu-west-1.amazonaws.com",
      username: "a",
      headers: { "X-SES-CONFIGURATION-SET": "c" },
    },
  ],
  [
    "AzureCommunicationServices",
    {
      EmailSettings__AzureCommunicationServices__Username: "u",
      EmailSettings__AzureCommunicationServices__Password: "p",
    },
    { host: "smtp.azurecomm.net", username: "u" },
  ],
])("%s with %j has its server", (provider, env, server) => {
  const settings = settingsOf({ EmailSettings__Provider: provider, ...FROM, ...env });
  expect(parseMail(settings)?.server).toMatchObject(server);
  expect(settings.problems).toEqual([]);
});

test("a malformed administrator is a problem", () => {
  const settings = settingsOf({
    EmailSettings__Provider: "Resend",
    EmailSettings__Resend__ApiKey: "k",
    ...FROM,
    EmailSettings__Administrators__0: "ops@acme.example",
    EmailSettings__Administrators__1: "not an address",
  });
  parseMail(settings);
  expect(settings.problems).toHaveLength(1);
  expect(settings.problems[0]).toMatch(/Administrators: "not an address" is not a mail address/);
});

const KEY = "Host__Webhooks__Subscriptions__0";
test.each([
  [{ Secret: "x" }, /__Url: is required/],
  [{ Url: "http://169.254.169.254/x" }, /__Url: is an address of a cloud.s metadata service/],
  [
    { Url: "http://[::ffff:169.254.169.254]/x" },
    /__Url: is an address of a cloud.s metadata service/,
  ],
  [{ Url: "https://x.example", Events__0: "package.bought" }, /is not an event type/],
  [{ Url: "https://x.example", Secret: "whsec_YQ==" }, /__Secret: must have at least 24 bytes/],
])("refuses the webhook %j", (fields, problem) => {
  const env = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`${KEY}__${name}`, value]),
  );
  const settings = settingsOf(env);
  parseWebhooks(settings);
  expect(settings.problems).toHaveLength(1);
  expect(settings.problems[0]).toMatch(problem);
});

test("a webhook without a form gets CloudEvents and a notice", () => {
  const settings = settingsOf({
    [`${KEY}__Url`]: "https://x.example/hook",
    [`${KEY}__Events__0`]: "package.*",
    [`${KEY}__IncludePrivate`]: "True",
    [`${KEY}__AllowPrivateNetwork`]: "true",
    Host__Webhooks__Subscriptions__1__Url: "https://y.example/hook",
    Host__Webhooks__Subscriptions__1__Format: "legacy",
  });
  const { subscriptions, warnings } = parseWebhooks(settings);
  expect(settings.problems).toEqual([]);
  expect(subscriptions).toEqual([
    {
      url: "https://x.example/hook",
      events: ["package.*"],
      format: "CloudEvents",
      includesPrivate: true,
      allowsPrivateNetwork: true,
    },
    {
      url: "https://y.example/hook",
      events: [],
      format: "Legacy",
      includesPrivate: false,
      allowsPrivateNetwork: false,
    },
  ]);
  expect(warnings).toHaveLength(1);
});
