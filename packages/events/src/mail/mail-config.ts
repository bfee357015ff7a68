/** An SMTP server, and how to talk to it. */
export type SmtpServer = {
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the start; `required`: STARTTLS or nothing. */
  readonly tls: "implicit" | "required" | "off";
  readonly username?: string;
  readonly password?: string;
  /** Headers of every mail, which a provider reads. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Settings of the values above, for errors. */
  readonly settings?: ServerSettings;
};

/** Full keys of settings. */
export type ServerSettings = {
  readonly address: string;
  readonly tls: string;
  readonly login: string;
};

/** Settings of mail. */
export type MailConfig = {
  readonly fromAddress: string;
  readonly fromName: string;
  readonly administrators: readonly string[];
  readonly server: SmtpServer;
};
