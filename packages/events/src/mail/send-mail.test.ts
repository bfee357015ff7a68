import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { createSettings, readSources } from "@sealhouse/settings";
import type { SMTPServerOptions } from "smtp-server";
import { expect, test } from "vitest";
import { MAIL_SETTINGS, parseMail } from "../settings/index.ts";
import type { MailConfig, SmtpServer } from "./mail-config.ts";
import { renderMail } from "./mail-texts.ts";
import { MAIL_TEMPLATES } from "./mail.ts";
import { sesPassword } from "./presets.ts";
import { sendMail } from "./send-mail.ts";
import { openSmtpSink } from "./smtp-sink.test.support.ts";

function configFor(port: number, server: Partial<SmtpServer> = {}): MailConfig {
  return {
    fromAddress: "registry@feed.example",
    fromName: "Feed Ü",
    administrators: [],
    server: { host: "127.0.0.1", port, tls: "off", username: "u", password: "p", ...server },
  };
}

const letter = {
  recipient: "admin@acme.example",
  subject: "Täst",
  body: "Hello\n.\nend\n",
  id: "abc",
};

test.each(MAIL_TEMPLATES)("a %s mail arrives once at a real SMTP server", async (template) => {
  await using sink = await openSmtpSink();
  const facts = { Token: "ci\r\nBcc: other@acme.example" };
  const text = renderMail(template, { serverName: "Feed", facts });
  const sent = await sendMail(configFor(sink.port), { ...letter, ...text });
  expect(sent).toEqual({ outcome: "sent" });
  expect(sink.arrived).toHaveLength(1);
  const [mail] = sink.arrived;
  expect(mail).toMatchObject({ from: "registry@feed.example", to: ["admin@acme.example"] });
  expect(mail?.text).toContain("Message-ID: <abc@feed.example>");
  expect(mail?.text).toContain("Auto-Submitted: auto-generated");
  expect(mail?.text).toContain(`Subject: ${text.subject}`);
  expect(mail?.text).toContain("Token: ci Bcc: other@acme.example");
});

type Case = {
  readonly name: string;
  readonly sink?: SMTPServerOptions;
  readonly server?: Partial<SmtpServer>;
  readonly recipient?: string;
  readonly expected: object;
};

test.each<Case>([
  {
    name: "a wrong password may be mended",
    server: { password: "wrong" },
    expected: { outcome: "refused", isFinal: false },
  },
  {
    name: "an unknown recipient is final",
    recipient: "unknown@acme.example",
    expected: { outcome: "refused", isFinal: true },
  },
  {
    name: "a mail that is refused after its content is final",
    sink: {
      onData(stream, _session, done) {
        stream.on("data", () => undefined);
        stream.on("end", () => done(Object.assign(new Error("spam"), { responseCode: 554 })));
      },
    },
    expected: { outcome: "refused", isFinal: true },
  },
  {
    name: "a mail that is put off after its content may be sent again",
    sink: {
      onData(stream, _session, done) {
        stream.on("data", () => undefined);
        stream.on("end", () => done(Object.assign(new Error("try later"), { responseCode: 451 })));
      },
    },
    expected: { outcome: "refused", isFinal: false },
  },
  {
    name: "no STARTTLS, which is required",
    sink: { disabledCommands: ["STARTTLS"] },
    server: { tls: "required" },
    expected: { outcome: "refused", isFinal: false },
  },
  {
    name: "an untrusted certificate",
    server: { tls: "required" },
    expected: { outcome: "refused", isFinal: false },
  },
])("$name", async ({ sink: options, server, recipient, expected }) => {
  await using sink = await openSmtpSink(options);
  const config = configFor(sink.port, server);
  const sent = await sendMail(config, { ...letter, ...(recipient && { recipient }) });
  expect(sent).toMatchObject(expected);
  expect(sink.arrived).toEqual([]);
});

const SETTINGS = {
  EmailSettings__Provider: "Smtp",
  EmailSettings__FromAddress: "registry@feed.example",
  EmailSettings__Smtp__Host: "127.0.0.1",
  EmailSettings__Smtp__EnableSsl: "false",
};

type KeyCase = {
  readonly name: string;
  readonly sink?: SMTPServerOptions;
  readonly env?: Readonly<Record<string, string>>;
  /** Another port than that of the server. */
  readonly port?: string;
  readonly expected: RegExp;
};

const LOGIN = { EmailSettings__Smtp__Username: "u", EmailSettings__Smtp__Password: "p" };

test.each<KeyCase>([
  {
    name: "an unknown host",
    env: { EmailSettings__Smtp__Host: "mail.invalid" },
    expected: /; check EmailSettings__Smtp__Host and EmailSettings__Smtp__Port$/,
  },
  {
    name: "a closed port",
    port: "9",
    expected: /; check EmailSettings__Smtp__Host and EmailSettings__Smtp__Port$/,
  },
  {
    name: "a refused login",
    env: { ...LOGIN, EmailSettings__Smtp__Password: "wrong" },
    expected: /; check EmailSettings__Smtp__Username and EmailSettings__Smtp__Password$/,
  },
  {
    name: "no STARTTLS",
    sink: { disabledCommands: ["STARTTLS"] },
    env: { EmailSettings__Smtp__EnableSsl: "true" },
    expected: /; check EmailSettings__Smtp__EnableSsl, /,
  },
  {
    name: "an untrusted certificate",
    env: { EmailSettings__Smtp__EnableSsl: "true" },
    expected: /; check EmailSettings__Smtp__EnableSsl, .*certificate$/,
  },
  {
    name: "a server with TLS from the start on a port without it",
    sink: { secure: true },
    expected: /; check EmailSettings__Smtp__/,
  },
  {
    name: "a refused sender",
    sink: {
      onMailFrom: (_address, _session, done) =>
        done(Object.assign(new Error("not your address"), { responseCode: 550 })),
    },
    expected: /not your address; check EmailSettings__FromAddress$/,
  },
])(
  "$name: the error names the setting",
  async ({ sink: options, env, port, expected }) => {
    await using sink = await openSmtpSink(options);
    const texts = { ...SETTINGS, EmailSettings__Smtp__Port: port ?? String(sink.port), ...env };
    const table = MAIL_SETTINGS;
    const sources = { environmentKey: "ENVIRONMENT", args: [], folders: [], table, env: texts };
    const { entries } = readSources({ ...sources, readFile: () => undefined });
    const settings = createSettings(entries, { table, env: texts });
    const config = parseMail(settings);
    if (!config) throw new Error(settings.problems.join("\n"));
    const sent = await sendMail(config, letter);
    expect(sent).toMatchObject({ outcome: "refused", error: expect.stringMatching(expected) });
  },
  30_000,
);

/** Speaks SMTP until `cutAt`, then closes the connection. */
async function openCuttingServer(cutAt: "greeting" | "recipient" | "content") {
  const server = createServer((socket) => {
    let isContent = false;
    socket.on("error", () => undefined);
    if (cutAt === "greeting") return void socket.destroy();
    socket.write("220 test\r\n");
    socket.on("data", (bytes) => {
      const text = bytes.toString();
      if (isContent) {
        if (text.endsWith("\r\n.\r\n")) socket.destroy();
        return;
      }
      if (text.startsWith("RCPT") && cutAt === "recipient") return void socket.destroy();
      isContent = text.startsWith("DATA");
      socket.write(isContent ? "354 go on\r\n" : "250 ok\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

test.each([
  { cutAt: "greeting", outcome: "refused" },
  { cutAt: "recipient", outcome: "refused" },
  { cutAt: "content", outcome: "unknown" },
] as const)("a connection that is cut at the $cutAt: $outcome", async ({ cutAt, outcome }) => {
  await using server = await openCuttingServer(cutAt);
  const { username: _, ...withoutLogin } = configFor(server.port).server;
  const config = { ...configFor(server.port), server: withoutLogin };
  const sent = await sendMail(config, letter);
  expect(sent).toMatchObject({ outcome });
});

test("without a server the mail may be sent later", async () => {
  await using sink = await openSmtpSink();
  const { port } = sink;
  await sink[Symbol.asyncDispose]();
  expect(await sendMail(configFor(port), letter)).toMatchObject({
    outcome: "refused",
    isFinal: false,
  });
});

test("never connects to a metadata service", async () => {
  const config = configFor(25);
  const server = { ...config.server, host: "169.254.169.254" };
  expect(await sendMail({ ...config, server }, letter)).toMatchObject({
    outcome: "refused",
    error: expect.stringContaining("metadata service"),
  });
});

test("derives the SMTP password of Amazon SES as its documentation does", () => {
  const secretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
  const password = sesPassword({ region: "us-east-1", secretKey });
  const bytes = Buffer.from(password, "base64");
  expect(bytes).toHaveLength(33);
  expect(bytes[0]).toBe(4);
  expect(sesPassword({ region: "eu-west-1", secretKey })).not.toBe(password);
});
