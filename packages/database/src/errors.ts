/** An invalid connection string; `part` names the invalid part. */
export class ConnectionStringError extends Error {
  override readonly name = "ConnectionStringError";
  readonly part: string;

  constructor(part: string, problem: string) {
    super(`The database connection string is wrong at "${part}": ${problem}`);
    this.part = part;
  }
}

/**
 * - `database-unreachable`: the database does not answer, or closed the connection;
 * - `database-refused`: the database rejected the credentials or the access;
 * - `database-starting`: the database is starting or stopping;
 * - `database-overloaded`: no connection is free, on the server or in the pool;
 * - `database-busy`: a lock or a statement took too long;
 * - `database-read-only`: the database is read-only, such as a standby;
 * - `database-full`: the disk is full; nothing was written.
 */
export type DatabaseUnavailability =
  | "database-unreachable"
  | "database-refused"
  | "database-starting"
  | "database-overloaded"
  | "database-busy"
  | "database-read-only"
  | "database-full";

/**
 * The database is unavailable. The message is for the operator only, because it names the database.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
  readonly code: DatabaseUnavailability;

  constructor(
    message: string,
    options: ErrorOptions & { readonly code?: DatabaseUnavailability } = {},
  ) {
    super(message, options);
    this.code = options.code ?? "database-unreachable";
  }
}

/** The packages of a database's driver are not installed. */
export class DriverMissingError extends Error {
  override readonly name = "DriverMissingError";
  readonly code = "driver-missing";

  /** `packages` are the names, with versions where they are known. */
  constructor(type: string, packages: readonly string[], options?: ErrorOptions) {
    super(
      `Database__Type=${type} needs packages that are not installed. ` +
        `Run: npm install ${packages.join(" ")}`,
      options,
    );
  }
}

/** The schema is older or newer than this program, and may not be changed. */
export class SchemaMismatchError extends Error {
  override readonly name = "SchemaMismatchError";
  readonly code = "schema-mismatch";
}

/** A trial before the first release made the database; no release reads its tables. */
export class TrialDatabaseError extends Error {
  override readonly name = "TrialDatabaseError";
  readonly code = "trial-database";

  constructor() {
    super(
      "A trial before release 0.1.0 made this database, which no release can update: let " +
        "Database__* or ConnectionStrings__* name an empty database and publish again, " +
        "or keep running the trial's version.",
    );
  }
}

/** A row holds something its column never should: damaged data or a foreign writer. */
export class UnexpectedRowError extends Error {
  override readonly name = "UnexpectedRowError";

  constructor(column: string, value: unknown) {
    super(`The database gave ${value === null ? "null" : typeof value} for "${column}".`);
  }
}

/**
 * A signature by a certificate that was retired at the same time. A retry uses another certificate,
 * if one is configured.
 */
export class RetiredCertificateError extends Error {
  override readonly name = "RetiredCertificateError";
  readonly code = "certificate-retired";
  /** SHA-256, lower-case hex. */
  readonly fingerprint: string;

  constructor(fingerprint: string) {
    super(
      `The signature uses the certificate ${fingerprint}, which was just retired. ` +
        "The package is not stored; try again in a minute.",
    );
    this.fingerprint = fingerprint;
  }
}
