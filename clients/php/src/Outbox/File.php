<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

use Tillseal\Error\OutboxException;

/**
 * The SQLite file of an outbox (docs/outbox.md). Each transaction has its own connection, so that none survives a fork or keeps writing
 * to a file that was deleted or replaced.
 *
 * @internal
 */
final class File
{
    private const PATIENCE_SECONDS = 10;
    // Result codes of SQLite.
    private const ERROR = 1;
    private const BUSY = 5;
    private const CORRUPT = 11;
    private const CANTOPEN = 14;
    private const NOTADB = 26;
    private const TABLES = <<<'SQL'
        CREATE TABLE meta (
          version integer not null,
          id text not null,
          halted_at integer,
          halted_status integer,
          halted_answer text,
          tried_at integer,
          checked_at integer not null
        );
        CREATE TABLE sales (
          place integer primary key autoincrement,
          reference text not null unique,
          device integer not null,
          sold_at integer not null,
          state text not null,
          ended_at integer,
          body text,
          body_sha256 text not null,
          attempts integer not null,
          answered integer not null,
          leased_until integer not null,
          status integer,
          answer text,
          number integer,
          clock_ahead integer,
          failing_since integer,
          failed_at integer,
          failure text
        );
        CREATE INDEX sales_queued on sales (device, place) where state = 'Queued';
        CREATE INDEX sales_set_aside on sales (place) where state = 'SetAside';
        CREATE INDEX sales_filled on sales (ended_at) where state in ('Signed', 'Discarded') and (body is not null or answer is not null);
        CREATE INDEX sales_emptied on sales (ended_at) where body is null and answer is null;
        SQL;

    public readonly string $path;
    /** Shows whether the file was replaced; null until it is open. */
    private ?string $id = null;

    public function __construct(string $file)
    {
        if (!extension_loaded('pdo_sqlite')) {
            throw new OutboxException("an outbox needs PHP's extension pdo_sqlite: install it (Debian: php-sqlite3) and enable it in php.ini.");
        }
        $this->path = self::found($file);
        $found = $this->read($this->idIn(...));
        if ($found === null) {
            $this->write(function (callable $sql): void {
                if ($this->idIn($sql) === null) {
                    array_map($sql, explode(";\n", self::TABLES));
                    $sql("insert into meta (version, id, checked_at) values (1, ?, strftime('%s', 'now'))", bin2hex(random_bytes(8)));
                }
            });
        }
        $this->id = $found ?? $this->read($this->idIn(...));
        $this->checkDaily();
    }

    /**
     * One transaction that writes. $do may run more than once while the file is locked.
     *
     * @template Result
     * @param callable(callable(string, mixed...): list<\stdClass>): Result $do gets a function that runs a statement
     * @return Result
     * @throws OutboxException
     */
    public function write(callable $do, float $patienceSeconds = self::PATIENCE_SECONDS): mixed
    {
        return $this->transact('begin immediate', $do, $patienceSeconds);
    }

    /**
     * @template Result
     * @param callable(callable(string, mixed...): list<\stdClass>): Result $do
     * @return Result
     * @throws OutboxException
     */
    public function read(callable $do): mixed
    {
        return $this->transact('begin', $do, self::PATIENCE_SECONDS);
    }

    private static function found(string $file): string
    {
        clearstatcache(true);
        error_clear_last();
        $umask = umask(0077);
        $new = @fopen($file, 'x');
        umask($umask);
        if ($new !== false) {
            fclose($new);
        }
        return realpath($file) ?: throw new OutboxException("$file cannot be created: " . (error_get_last()['message'] ?? 'not said why'));
    }

    /** Null if the file is empty. */
    private function idIn(callable $sql): ?string
    {
        if ($sql('select 1 from sqlite_master limit 1') === []) {
            return null;
        }
        $meta = $sql('select version, id from meta')[0] ?? null;
        if ($meta?->version !== 1) {
            throw new OutboxException("$this->path is not an outbox of version 1, the only one that this client knows.");
        }
        return $meta->id;
    }

    /** Reads the whole file, so not at each opening. If it cannot be noted, on a full disk for example, the next one does it again. */
    private function checkDaily(): void
    {
        $isDone = "select 1 from meta where strftime('%s', 'now') - checked_at between 0 and 86400";
        if ($this->read(static fn (callable $sql) => $sql($isDone)) !== []) {
            return;
        }
        [$check] = $this->read(static fn (callable $sql) => $sql('pragma quick_check(1)'));
        if ($check->quick_check !== 'ok') {
            throw $this->damaged($check->quick_check);
        }
        try {
            $this->write(static fn (callable $sql) => $sql("update meta set checked_at = strftime('%s', 'now')"), patienceSeconds: 0);
        } catch (OutboxException) {
        }
    }

    private function transact(string $begin, callable $do, float $patienceSeconds): mixed
    {
        $until = hrtime(true) + $patienceSeconds * 1e9;
        try {
            return self::patiently($until, fn () => $this->attempt($begin, $do, $until));
        } catch (\PDOException $error) {
            throw $this->explained($error);
        }
    }

    private function attempt(string $begin, callable $do, float $until): mixed
    {
        // Not the constants of PDO: PHP 8.5 gives them other names.
        [$openFlags, $readWrite] = [1000, 2];
        $db = new \PDO("sqlite:$this->path", null, null, [\PDO::ATTR_TIMEOUT => 0, $openFlags => $readWrite]);
        $sql = static fn (string $text, mixed ...$values): array => self::rows($db, $text, $values);
        try {
            $isFirstLook = $this->id === null && $begin === 'begin';
            if (!$isFirstLook) { // At first it may be another program's database.
                $this->set($sql);
            }
            $db->exec($begin);
            if ($this->id !== null && ($sql('select id from meta')[0]->id ?? null) !== $this->id) {
                throw $this->replaced();
            }
            $result = $do($sql);
            try {
                self::patiently($until, static fn () => $db->exec('commit'));
            } catch (\PDOException $error) {
                $explained = $this->explained($error);
                throw new OutboxException($explained->getMessage(), $explained->isFileLost, isOfCommit: true);
            }
            return $result;
        } catch (\Throwable $error) {
            try {
                $db->exec('rollback');
            } catch (\PDOException) {
                // There may be no transaction any more, after a full disk for example; before PHP 8.4 PDO's inTransaction does not know that.
            }
            throw $error;
        }
    }

    private function set(callable $sql): void
    {
        $sql('pragma journal_mode=TRUNCATE');
        $sql('pragma synchronous=FULL');
        $sql('pragma secure_delete=ON');
        $are = [$sql('pragma journal_mode')[0]->journal_mode, $sql('pragma synchronous')[0]->synchronous, $sql('pragma secure_delete')[0]->secure_delete];
        if ($are !== ['truncate', 2, 1]) {
            throw new OutboxException("$this->path cannot be used with journal_mode=TRUNCATE, synchronous=FULL and secure_delete=ON.");
        }
    }

    /** @return list<\stdClass> */
    private static function rows(\PDO $db, string $text, array $values): array
    {
        $statement = $db->prepare($text);
        foreach ($values as $index => $value) {
            $type = is_int($value) ? \PDO::PARAM_INT : ($value === null ? \PDO::PARAM_NULL : \PDO::PARAM_STR);
            $statement->bindValue($index + 1, $value, $type);
        }
        $statement->execute();
        return $statement->fetchAll(\PDO::FETCH_OBJ);
    }

    /** Repeats it while the file is locked. */
    private static function patiently(float $until, callable $do): mixed
    {
        while (true) {
            try {
                return $do();
            } catch (\PDOException $error) {
                if (self::codeOf($error) !== self::BUSY || hrtime(true) >= $until) {
                    throw $error;
                }
                usleep(random_int(5_000, 25_000));
            }
        }
    }

    private static function codeOf(\PDOException $error): int
    {
        return ($error->errorInfo[1] ?? 0) & 0xff;
    }

    private function explained(\PDOException $error): OutboxException
    {
        $words = $error->errorInfo[2] ?? $error->getMessage();
        $code = self::codeOf($error);
        clearstatcache();
        return match (true) {
            $code === self::BUSY => new OutboxException("$this->path has been locked by another program for too long."),
            $code === self::CORRUPT, $code === self::NOTADB => $this->damaged($words),
            // Our statements are correct, so the tables must be another program's.
            $code === self::ERROR && $this->id === null => new OutboxException("$this->path is a database of something else."),
            $code === self::ERROR, $code === self::CANTOPEN && !file_exists($this->path) => $this->replaced(),
            default => new OutboxException("$this->path cannot be read or written: $words."),
        };
    }

    private function replaced(): OutboxException
    {
        $words = "$this->path is not the file that was opened: it was deleted or replaced. Open the outbox again.";
        return new OutboxException($words, isFileLost: true);
    }

    private function damaged(string $words): OutboxException
    {
        return new OutboxException(
            "$this->path is damaged or no outbox ($words) and was left alone. Stop the tills, copy it together with $this->path-journal, "
            . "and save what is readable: sqlite3 $this->path .recover | sqlite3 NEW",
            isFileLost: true,
        );
    }
}
