import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { checkedLookup, checkHost } from "@sealhouse/http-responses/outgoing";
import { loadPeer } from "@sealhouse/settings";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { MailConfig, SmtpServer } from "./mail-config.ts";

/** A mail to send. */
export type Letter = {
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
  /** Unique, for the Message-ID. */
  readonly id: string;
};

/** The outcome of one attempt. */
export type MailSent =
  | { readonly outcome: "sent" }
  /** The server said no before it had the mail, or to the mail: it did not arrive. */
  | { readonly outcome: "refused"; readonly isFinal: boolean; readonly error: string }
  /** The connection ended after the mail was sent and before the answer: it may have arrived. */
  | { readonly outcome: "unknown"; readonly error: string };

/** Loads a module of `nodemailer`. @throws PeerMissingError */
const loadMailer = <T>(load: () => Promise<T>): Promise<T> =>
  loadPeer(
    {
      feature: "Sending mail",
      packages: ["nodemailer"],
      manifest: import.meta.resolve("@sealhouse/events/package.json"),
    },
    load,
  );

/** Milliseconds. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
const ERROR_LENGTH_MAX = 500;

/**
 * Sends one mail. Loads the optional peer dependency `nodemailer`; without it, the mail is refused,
 * and the error names the package. Never throws.
 */
export async function sendMail(config: MailConfig, letter: Letter): Promise<MailSent> {
  let isSending = false;
  try {
    const bytes = await render(config, letter);
    // Read when the server has accepted the sender, the recipient and the beginning of the mail.
    const content = new Readable({
      read() {
        isSending = true;
        this.push(bytes);
        this.push(null);
      },
    });
    await deliver(config, letter.recipient, content);
    return { outcome: "sent" };
  } catch (error) {
    return failureOf(error, isSending, config.server);
  }
}

async function render(config: MailConfig, letter: Letter): Promise<Buffer> {
  const { default: MailComposer } = await loadMailer(() => import("nodemailer/lib/mail-composer"));
  const { fromAddress, fromName, server } = config;
  const domain = fromAddress.slice(fromAddress.lastIndexOf("@") + 1);
  return new MailComposer({
    from: { address: fromAddress, name: fromName },
    to: { address: letter.recipient, name: "" },
    subject: letter.subject,
    text: letter.body,
    messageId: `<${letter.id}@${domain}>`,
    headers: { "Auto-Submitted": "auto-generated", ...server.headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

async function deliver(
  { fromAddress, server }: MailConfig,
  recipient: string,
  content: Readable,
): Promise<void> {
  const { default: Connection } = await loadMailer(() => import("nodemailer/lib/smtp-connection"));
  const { host, port, tls, username, password } = server;
  const socket = await openSocket(host, port);
  const connection = new Connection({
    connection: socket,
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "required",
    ignoreTLS: tls === "off",
    ...TIMEOUTS,
  });
  try {
    await step(connection, (done) => connection.connect(done));
    if (username !== undefined) {
      const credentials = { user: username, pass: password ?? "" };
      await step(connection, (done) => connection.login({ credentials }, done));
    }
    const envelope = { from: fromAddress, to: [recipient] };
    await step(connection, (done) => connection.send(envelope, content, done));
    connection.quit();
  } finally {
    connection.close();
  }
}

/** Connects to a mail server, which may be in a private network. */
async function openSocket(host: string, port: number): Promise<Socket> {
  const permission = { allowPrivate: true };
  checkHost({ hostname: host }, permission);
  const socket = connect({ host, port, lookup: checkedLookup(permission) });
  const signal = AbortSignal.timeout(TIMEOUTS.connectionTimeout);
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    if (!signal.aborted) throw error;
    throw Object.assign(new Error(`no connection to ${host}:${port} in time`), {
      code: "ETIMEDOUT",
    });
  }
}

/** One step of the conversation; errors of the connection end it, too. */
async function step(
  connection: SMTPConnection,
  begin: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = () => reject(new Error("the server closed the connection"));
  connection.once("error", reject);
  connection.once("end", end);
  try {
    begin((error) => (error ? reject(error) : resolve()));
    await promise;
  } finally {
    connection.off("error", reject);
    connection.off("end", end);
    // A late error must not end the process.
    connection.on("error", () => undefined);
  }
}

type Failure = Partial<SMTPConnection.SMTPError>;

function failureOf(error: unknown, isSending: boolean, server: SmtpServer): MailSent {
  const failure: Failure = error instanceof Error ? error : { message: String(error) };
  const key = keyOf(failure, server);
  const text = (failure.message ?? "").slice(0, ERROR_LENGTH_MAX);
  const reason = key === undefined ? text : `${text.replace(/[.\s]+$/, "")}; check ${key}`;
  const { responseCode, code } = failure;
  const hasAnswer = responseCode !== undefined && responseCode >= 400;
  if (isSending && !hasAnswer) return { outcome: "unknown", error: text };
  // A login or the address of the server can be mended; a refused recipient or mail cannot.
  const isAboutMail = code === "EENVELOPE" || code === "EMESSAGE";
  const isFinal = hasAnswer && responseCode >= 500 && isAboutMail;
  return { outcome: "refused", isFinal, error: reason };
}

/** Codes of Node and of the library for TLS, also for a server that speaks no TLS on its port. */
const TLS_CODES =
  /^(?:ETLS|ERR_SSL_.*|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*)$/;
/** Connections that fail or say nothing. */
const ADDRESS_CODES =
  /^E(?:AI_AGAIN|CONN.*|DNS|HOSTUNREACH|NETUNREACH|NOTFOUND|PROTOCOL|SOCKET|TIMEDOUT)$/;

/** The settings that a failure is about; undefined when they cannot be the cause. */
function keyOf(failure: Failure, { settings }: SmtpServer): string | undefined {
  if (!settings) return undefined;
  const { command } = failure;
  if (failure.code === "EAUTH") return settings.login;
  if (command === "MAIL FROM") return "EmailSettings__FromAddress";
  const codes = codesOf(failure);
  if (codes.some((code) => TLS_CODES.test(code))) return settings.tls;
  return codes.some((code) => ADDRESS_CODES.test(code)) ? settings.address : undefined;
}

/** The library replaces the code of an error of TLS, and keeps its message and cause. */
function codesOf({ code = "", message = "", cause }: Failure): readonly string[] {
  const ofCause = cause instanceof Error && "code" in cause ? [String(cause.code)] : [];
  const isTls = /certificate|wrong version number|\bssl\b|\btls\b/i.test(message);
  return [...(isTls ? ["ETLS"] : []), ...ofCause, code];
}
