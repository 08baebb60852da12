<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

use Tillseal\Error\JournalDamaged;
use Tillseal\Error\OutboxError;

/**
 * The journal of an outbox: its records, and how they get to the disk (docs/outbox.md).
 *
 * @internal
 */
final class Journal
{
    /** How long a finished sale stays, so that a `sell` that waits for it in another process sees its end. */
    private const KEPT_SECONDS = 60;
    private const JSON = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE;

    /** @var array<array-key, Sale> by reference, in the order in which they were sold */
    public array $sales = [];
    /** @var ?array{status: int, answer: string, line: string} */
    public ?array $halt = null;
    public readonly Lock $drainLock;
    public readonly string $path;

    private readonly Lock $appendLock;
    /** @var list<string> */
    private array $unknown = [];
    private string $header = '';
    private int $lineCount = 0;
    private int $offset = 0;
    private int $flushed = 0;

    public function __construct(string $path)
    {
        $folder = realpath(dirname($path));
        if ($folder === false) {
            throw new OutboxError('there is no folder ' . dirname($path) . ' for the journal');
        }
        // A shutdown function may run in another working folder.
        $this->path = $folder . '/' . basename($path);
        $this->drainLock = new Lock("$this->path.drain");
        $this->appendLock = new Lock("$this->path.append");
    }

    // Reading.

    /** Sees what others have written. With $isFlushed it is certain to be on the disk, and may be sent. */
    public function refresh(bool $isFlushed = false): void
    {
        $file = is_file($this->path) ? $this->open() : null;
        try {
            $this->read($file);
            if ($file !== null && $isFlushed && $this->offset > $this->flushed) {
                $this->flush($file);
            }
        } catch (JournalDamaged) {
            // Or the tail was being cut at that moment.
            $this->withLock(static fn () => null);
        } finally {
            if ($file !== null) {
                fclose($file);
            }
        }
    }

    /**
     * Takes in the whole lines that are new; stands still before a torn one.
     *
     * @param ?resource $file
     */
    private function read($file): void
    {
        $header = $file === null ? '' : explode("\n", (string) stream_get_contents($file, 4096, 0))[0];
        if ($file === null || $header !== $this->header || fstat($file)['size'] < $this->offset) {
            // Replaced by a compacted one.
            [$this->sales, $this->halt, $this->unknown] = [[], null, []];
            [$this->header, $this->lineCount, $this->offset, $this->flushed] = ['', 0, 0, 0];
        }
        if ($file === null) {
            return;
        }
        $lines = explode("\n", (string) stream_get_contents($file, -1, $this->offset));
        $torn = array_pop($lines);
        if ($this->offset === 0 && ($lines !== [] || $torn !== '')) {
            $this->checkHeader($header);
        }
        foreach ($lines as $index => $line) {
            $record = self::parse($line);
            if ($record === null && ($index < count($lines) - 1 || $torn !== '')) {
                throw new JournalDamaged($this->path, $this->lineCount + 1);
            }
            if ($record === null) {
                return;
            }
            $this->apply($record, $line);
            $this->offset += strlen($line) + 1;
            $this->lineCount++;
        }
    }

    private function checkHeader(string $line): void
    {
        $record = self::parse($line);
        if (($record['Kind'] ?? '') !== 'Outbox') {
            throw new OutboxError("$this->path is not the journal of an outbox; it was left as it is");
        }
        if (($record['Version'] ?? 0) !== 1) {
            throw new OutboxError("$this->path has another version than 1, which this program does not know");
        }
        $this->header = $line;
    }

    /** @param array<string, mixed> $record */
    private function apply(array $record, string $line): void
    {
        $kind = $record['Kind'];
        $reference = $record['Reference'] ?? '';
        $sale = $this->sales[$reference] ?? null;
        switch ($kind) {
            case 'Outbox':
                break;
            case 'Halted':
                $this->halt = ['status' => $record['Status'], 'answer' => $record['Answer'], 'line' => $line];
                break;
            case 'Resumed':
                $this->halt = null;
                break;
            case 'Sale':
                if ($sale === null || $sale->end === 'Discarded') {
                    // A corrected sale under the Reference of a discarded one has a new place.
                    unset($this->sales[$reference]);
                    $sale = new Sale($reference, $record['AuthorityDeviceId'], $record['Body'], $record['At']);
                    $this->sales[$reference] = $sale;
                }
                break;
            case 'Signed':
            case 'Parked':
            case 'Discarded':
            case 'Retried':
                if ($sale !== null) {
                    $sale->end = $kind === 'Retried' ? null : $kind;
                    [$sale->status, $sale->answer] = [$record['Status'] ?? 200, $record['Answer'] ?? ''];
                }
                break;
            default:
                $this->unknown[] = $line;
        }
        if ($sale !== null) {
            $sale->lastAt = $record['At'];
            $sale->lines[] = $line;
        }
    }

    // Writing.

    /**
     * Writes the record that $decide gives when it sees the journal under the lock. False: it gave none.
     *
     * @param callable(): ?array<string, mixed> $decide
     */
    public function append(callable $decide): bool
    {
        $record = null;
        $this->withLock(function ($file, Held $held) use ($decide, &$record): void {
            $record = $decide();
            if ($record !== null) {
                $this->write($file, $held, self::line(['Kind' => $record['Kind'], 'At' => self::now(), ...$record]));
            }
        });
        return $record !== null;
    }

    /** Leaves finished sales out, so that buyers' data do not stay on the till. Only for the holder of the drain lock. */
    public function compact(Held $drain): void
    {
        if (array_filter($this->sales, self::isOver(...)) !== []) {
            $this->withLock(fn ($file, Held $held) => $this->rewrite($file, $held, $drain));
        }
    }

    /**
     * Does it with the append lock and the journal read to its end, without a torn line; again if the lock was lost.
     *
     * @param callable(resource, Held): mixed $do
     */
    private function withLock(callable $do): void
    {
        do {
            $held = $this->appendLock->take();
            $file = null;
            try {
                clearstatcache(true, $this->path);
                if (!file_exists($this->path) || filesize($this->path) === 0) {
                    $this->replace([self::newHeader()], [$held]);
                }
                $file = $this->open();
                $this->read($file);
                if (!$held->isMine()) {
                    continue;
                }
                if (fstat($file)['size'] > $this->offset) {
                    ftruncate($file, $this->offset);
                }
                $do($file, $held);
                $isDone = $held->isMine();
            } finally {
                if ($file !== null) {
                    fclose($file);
                }
                $held->release();
            }
        } while (!($isDone ?? false));
    }

    /** @param resource $file */
    private function write($file, Held $held, string $line): void
    {
        try {
            $this->writeAll($file, $line);
            $this->flush($file);
        } catch (OutboxError $error) {
            if ($held->isMine()) {
                ftruncate($file, $this->offset);
            }
            throw $error;
        }
        $this->read($file);
    }

    /** @param resource $file */
    private function flush($file): void
    {
        $size = fstat($file)['size'];
        if (!@fsync($file)) {
            throw $this->failure('flushed');
        }
        $this->flushed = $size;
    }

    /** @param resource $file */
    private function rewrite($file, Held $held, Held $drain): void
    {
        $lines = [self::newHeader(), ...$this->unknown];
        foreach ($this->sales as $sale) {
            if (!self::isOver($sale)) {
                array_push($lines, ...$sale->lines);
            }
        }
        if ($this->halt !== null) {
            $lines[] = $this->halt['line'];
        }
        $this->replace($lines, [$held, $drain], fstat($file));
    }

    /**
     * The whole file at once, so that no reader ever sees half of it.
     *
     * @param list<string> $lines
     * @param list<Held> $locks
     * @param ?array<array-key, int> $owner
     */
    private function replace(array $lines, array $locks, ?array $owner = null): void
    {
        $new = "$this->path.new";
        $file = @fopen($new, 'wb') ?: throw $this->failure('written');
        try {
            chmod($new, 0600);
            if ($owner !== null && function_exists('posix_geteuid') && posix_geteuid() === 0) {
                // When a person drains as root, it stays the till's.
                chown($new, $owner['uid']);
                chgrp($new, $owner['gid']);
            }
            $this->writeAll($file, implode("\n", $lines) . "\n");
            if (!@fsync($file)) {
                throw $this->failure('flushed');
            }
            if (array_filter($locks, static fn (Held $lock) => !$lock->isMine()) === []) {
                @rename($new, $this->path) ?: throw $this->failure('replaced');
                $this->flushFolder();
            }
        } finally {
            fclose($file);
            @unlink($new);
        }
    }

    /** @return resource */
    private function open()
    {
        // Opened anew each time: another process may have replaced it.
        return @fopen($this->path, 'a+b') ?: throw $this->failure('opened');
    }

    /** @param resource $file */
    private function writeAll($file, string $data): void
    {
        if (@fwrite($file, $data) !== strlen($data)) {
            throw $this->failure('written');
        }
    }

    private function flushFolder(): void
    {
        $folder = @fopen(dirname($this->path), 'rb');
        if ($folder !== false) {
            @fsync($folder);
            fclose($folder);
        }
    }

    private function failure(string $verb): OutboxError
    {
        return new OutboxError("$this->path cannot be $verb: " . (error_get_last()['message'] ?? 'unknown reason'));
    }

    /** The moment of a record. Such texts sort like the moments they name. */
    public static function now(int $offsetSeconds = 0): string
    {
        return gmdate('Y-m-d\TH:i:s\Z', time() + $offsetSeconds);
    }

    private static function isOver(Sale $sale): bool
    {
        return in_array($sale->end, ['Signed', 'Discarded'], true) && $sale->lastAt < self::now(-self::KEPT_SECONDS);
    }

    /** @param array<string, mixed> $record */
    private static function line(array $record): string
    {
        $text = json_encode($record, self::JSON);
        return hash('crc32b', $text) . " $text\n";
    }

    private static function newHeader(): string
    {
        return rtrim(self::line(['Kind' => 'Outbox', 'Version' => 1, 'Id' => bin2hex(random_bytes(8))]));
    }

    /** @return ?array<string, mixed> null if the line is not whole */
    private static function parse(string $line): ?array
    {
        [$checksum, $text] = array_pad(explode(' ', $line, 2), 2, '');
        if ($checksum !== hash('crc32b', $text)) {
            return null;
        }
        $record = json_decode($text, true);
        return is_array($record) && isset($record['Kind']) ? $record : null;
    }
}
