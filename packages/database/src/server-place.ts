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
