/** TLS mode, as `sslmode` of libpq: `prefer` uses TLS where the server supports it. */
export type SslMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

/** Where a database server is and how to get in. */
export type ServerPlace = {
  /** Name or address; for MySQL also the path of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  readonly ssl: SslMode;
  /** File with the certificates (PEM) that the server's must descend from. */
  readonly rootCertificate?: string;
  /** Connections at most; default 10, at least 2. */
  readonly poolMax?: number;
};

/** Where a SQL Server is. Without a verified certificate, `ssl` is `require`. */
export type SqlServerPlace = ServerPlace & {
  /** Name of an instance, whose port the server's browser service tells. */
  readonly instance?: string;
  /** TLS before the first byte of the protocol, as of TDS 8.0. */
  readonly isStrict?: boolean;
  /** Name in the certificate, where it is not the host's. */
  readonly certificateHost?: string;
};
