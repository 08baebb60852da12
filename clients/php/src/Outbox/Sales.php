<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

use Tillseal\Error\OutboxException;
use Tillseal\Error\ProblemException;
use Tillseal\ExactJson;

/**
 * What is done with the sales in an outbox's file, each in one transaction (docs/outbox.md).
 *
 * @internal
 */
final class Sales
{
    private const LEASE_MS = 5_000;
    private const HALT_SECONDS = 300;
    private const STUCK_SECONDS = 300;
    private const STUCK_AGAIN_SECONDS = 3_600;
    private const EMPTIED_SECONDS = 60;
    private const KEPT_SECONDS = 90 * 86_400;
    /** After such an answer a queued sale is certainly not sealed. */
    private const NOT_SEALED = ['MaintenanceWindow', 'FiscalDayNotOpen', 'FiscalDayTooLong', 'TaxUnclear', 'DeviceOnHold'];
    private const WORDS = ['Queued' => 'queued', 'Signed' => 'signed', 'SetAside' => 'set aside', 'Discarded' => 'discarded'];

    private readonly File $file;

    /** @param \Closure(): float $clock seconds since 1970 */
    public function __construct(string $file, private readonly \Closure $clock)
    {
        $this->file = new File($file);
    }

    /**
     * Writes a new sale and claims it if it can be sent immediately; null if it cannot, or is in the file already.
     *
     * @throws OutboxException
     */
    public function take(string $reference, int $device, string $body, bool $isSentAtOnce): ?\stdClass
    {
        $hash = hash('sha256', $body);
        $claimed = null;
        try {
            $known = $this->file->write(function (callable $sql) use ($reference, $device, $body, $hash, $isSentAtOnce, &$claimed): ?\stdClass {
                $claimed = null;
                $known = $sql('select state, number, body_sha256 from sales where reference = ?', $reference)[0] ?? null;
                if ($known !== null && $known->state !== 'Discarded') {
                    return $known;
                }
                $sql('delete from sales where reference = ?', $reference);
                $isAlone = $sql("select 1 from sales where device = ? and state = 'Queued' limit 1", $device) === [];
                $columns = 'reference, device, sold_at, body, body_sha256, state, attempts, answered, leased_until';
                $row = [$reference, $device, $this->now(), $body, $hash];
                $sql("insert into sales ($columns) values (?, ?, ?, ?, ?, 'Queued', 0, 0, 0)", ...$row);
                $claimed = $isAlone && $isSentAtOnce ? ($this->claimIn($sql, $device) ?: null) : null;
                return null;
            });
        } catch (OutboxException $error) {
            // If only the last flush failed, the sale is in the file: writing it once more flushes it.
            if (!$error->isOfCommit || !$this->isWrittenAgain($reference, $hash, $claimed?->place)) {
                throw new OutboxException("$reference is not sold: {$error->getMessage()} The same receipt may be sold again, unchanged.");
            }
            return $claimed;
        }
        if ($known !== null && $known->body_sha256 !== $hash) {
            $state = self::WORDS[$known->state] . ($known->number === null ? '' : " as number $known->number");
            throw new OutboxException(
                "$reference is already in {$this->file->path} ($state) with other data. If this is the same sale, do not sell it again: "
                . "find(\"$reference\") says what became of it. If it is another sale, it needs a Reference of its own.",
            );
        }
        return $claimed;
    }

    /** The first queued sale of the device, to be sent now; null if there is none or another process is sending it; false if halted. */
    public function claim(int $device): \stdClass|false|null
    {
        return $this->file->write(fn (callable $sql) => $this->claimIn($sql, $device));
    }

    /**
     * What an answer means for its sale.
     *
     * @return list<Report> what a person should know about it
     * @throws OutboxException
     */
    public function record(\stdClass $sale, Verdict $verdict): array
    {
        return $this->file->write(function (callable $sql) use ($sale, $verdict): array {
            $now = $this->now();
            $row = $sql('select state, answered, failing_since, failed_at from sales where place = ?', $sale->place)[0] ?? null;
            $state = $row->state ?? 'Discarded'; // And its Reference was used again.
            $isEnd = ($verdict->word === 'Signed' && $state !== 'Signed') || ($verdict->word === 'SetAside' && $state === 'Queued');
            $isFailure = !$isEnd && $state === 'Queued';
            $set = ['leased_until' => 0];
            if ($isEnd) {
                $set += ['state' => $verdict->word, 'ended_at' => $now, 'number' => $verdict->number(), 'clock_ahead' => $verdict->clockAheadSeconds()];
                $set += ['failing_since' => null, 'failed_at' => null, 'failure' => null];
            }
            if ($isFailure) {
                $set += ['failing_since' => $row->failing_since ?? $now, 'failed_at' => $now, 'failure' => $verdict->failure];
            }
            if ($isEnd || ($isFailure && $verdict->isOurs() && $sale->attempt > $row->answered)) {
                $set += ['answered' => $sale->attempt, 'status' => $verdict->answer->status, 'answer' => $verdict->answer->body];
            }
            $columns = implode(' = ?, ', array_keys($set));
            $sql("update sales set $columns = ? where place = ?", ...[...array_values($set), $sale->place]);
            return array_values(array_filter([
                $isEnd ? self::endReport($sale, $verdict, $state) : null,
                $isFailure ? self::stuckReport($sale, $verdict, $set['failing_since'], $row->failed_at, $now) : null,
                $this->recordHalt($sql, $sale, $verdict),
            ]));
        });
    }

    /** @return list<int> the devices that have queued sales */
    public function queuedDevices(): array
    {
        $find = "select device from sales where state = 'Queued' group by device order by min(place)";
        return array_column($this->file->read(static fn (callable $sql) => $sql($find)), 'device');
    }

    /** The row of a sale. */
    public function row(string $reference): ?\stdClass
    {
        return $this->file->read(static fn (callable $sql) => $sql('select * from sales where reference = ?', $reference)[0] ?? null);
    }

    public function lastFailure(int $device): ?Failure
    {
        return $this->file->read(static fn (callable $sql) => self::lastFailureIn($sql, 'device = ?', $device));
    }

    public function find(string $reference): ?Sale
    {
        $row = $this->row($reference);
        return $row === null ? null : new Sale(
            $row->reference,
            $row->state,
            self::moment($row->sold_at),
            $row->attempts,
            $row->number,
            $row->status === 200 && $row->answer !== null ? ExactJson::decode($row->answer) : null,
            $row->status !== 200 && $row->answer !== null ? ProblemException::of($row->status, $row->answer) : null,
            self::failure($row),
        );
    }

    public function status(): Status
    {
        return $this->file->read(static function (callable $sql): Status {
            [$queued] = $sql("select count(*) as sales, min(sold_at) as oldest from sales where state = 'Queued'");
            $setAside = $sql("select reference, status, answer from sales where state = 'SetAside' order by place");
            [$meta] = $sql('select halted_at, halted_status, halted_answer from meta');
            return new Status(
                $queued->sales,
                self::moment($queued->oldest),
                self::lastFailureIn($sql, '?', 1),
                array_map(static fn (\stdClass $row) => new SetAside($row->reference, ProblemException::of($row->status, $row->answer)), $setAside),
                $meta->halted_at === null
                    ? null
                    : new Halted(self::moment($meta->halted_at), ProblemException::of($meta->halted_status, $meta->halted_answer)),
            );
        });
    }

    public function retry(?string $reference): void
    {
        $this->file->write(function (callable $sql) use ($reference): void {
            if ($reference !== null && $this->stateIn($sql, $reference)->state !== 'SetAside') {
                throw new OutboxException("$reference is not set aside");
            }
            $sql("update sales set state = 'Queued', ended_at = null where state = 'SetAside' and reference = coalesce(?, reference)", $reference);
        });
    }

    public function discard(string $reference): void
    {
        $this->file->write(function (callable $sql) use ($reference): void {
            $row = $this->stateIn($sql, $reference);
            $isUnsealed = $row->status === 400
                || ($row->status === 503 && in_array(ProblemException::of(503, (string) $row->answer)->code, self::NOT_SEALED, true));
            $isSafe = $row->state === 'SetAside' || ($row->state === 'Queued' && ($row->attempts === 0 || ($isUnsealed && $row->answered === $row->attempts)));
            if (!$isSafe) {
                $why = $row->state === 'Queued' ? 'it is queued, and may have been sealed' : 'it is ' . self::WORDS[$row->state];
                throw new OutboxException("$reference cannot be discarded: $why");
            }
            $sql("update sales set state = 'Discarded', ended_at = ? where reference = ?", $this->now(), $reference);
        });
    }

    public function resume(): void
    {
        $this->file->write(self::endHalt(...));
    }

    /** Removes buyers' data and old rows. Nothing is lost if that fails, so it does not wait for a lock. */
    public function tidy(): void
    {
        try {
            $this->file->write(function (callable $sql): void {
                // Each condition is that of an index.
                $filled = "state in ('Signed', 'Discarded') and (body is not null or answer is not null)";
                $sql("update sales set body = null, answer = null where $filled and ended_at <= ?", $this->now() - self::EMPTIED_SECONDS);
                $old = 'select place from sales where body is null and answer is null and ended_at <= ? limit 1000';
                $sql("delete from sales where place in ($old)", $this->now() - self::KEPT_SECONDS);
            }, patienceSeconds: 0);
        } catch (OutboxException) {
        }
    }

    private function claimIn(callable $sql, int $device): \stdClass|false|null
    {
        [$meta] = $sql('select halted_at, tried_at from meta');
        $sinceTried = $this->now() - ($meta->tried_at ?? 0);
        if ($meta->halted_at !== null && $sinceTried >= 0 && $sinceTried < self::HALT_SECONDS) {
            return false;
        }
        $queued = "from sales where device = ? and state = 'Queued'";
        $sale = $sql("select place, reference, device, body, sold_at, attempts + 1 as attempt, leased_until $queued order by place limit 1", $device)[0] ?? null;
        $leasedMs = ($sale->leased_until ?? 0) - $this->nowMs();
        if ($sale === null || ($leasedMs > 0 && $leasedMs <= self::LEASE_MS)) {
            return null;
        }
        $sql('update meta set tried_at = ? where halted_at is not null', $this->now());
        $sql('update sales set attempts = ?, leased_until = ? where place = ?', $sale->attempt, $this->nowMs() + self::LEASE_MS, $sale->place);
        $sale->waiting = $sql("select count(*) as sales $queued", $device)[0]->sales;
        $sale->seconds = max(0, $this->now() - $sale->sold_at);
        return $sale;
    }

    private function isWrittenAgain(string $reference, string $hash, ?int $place): bool
    {
        try {
            return $this->file->write(static function (callable $sql) use ($reference, $hash, $place): bool {
                $which = "reference = ? and body_sha256 = ? and place = coalesce(?, place) and state <> 'Discarded'";
                // A different value than before: SQLite neither writes nor flushes when nothing has changed.
                $sql("update sales set leased_until = leased_until + 1 where $which", $reference, $hash, $place);
                return $sql('select changes() as rows')[0]->rows > 0;
            }, patienceSeconds: 1);
        } catch (OutboxException) {
            return false;
        }
    }

    private static function endReport(\stdClass $sale, Verdict $verdict, string $state): ?Report
    {
        if ($verdict->word === 'SetAside') {
            return new Report('SetAside', "$sale->reference is set aside: $verdict->failure", $sale->reference, $verdict->problem);
        }
        $words = "$sale->reference was sealed after all, as number {$verdict->number()}, though it was " . self::WORDS[$state];
        return $state === 'Queued' ? null : new Report('SignedAfterAll', $words, $sale->reference);
    }

    /** After five minutes and then every hour, computed from the file, so that no process has to remember it. */
    private static function stuckReport(\stdClass $sale, Verdict $verdict, int $since, ?int $before, int $now): ?Report
    {
        $times = static fn (int $at): int => intdiv(max($at - $since, 0) - self::STUCK_SECONDS + self::STUCK_AGAIN_SECONDS, self::STUCK_AGAIN_SECONDS);
        $words = "$sale->reference could not be sealed for " . intdiv($now - $since, 60) . " minutes: $verdict->failure";
        return $times($now) > $times($before ?? $since) ? new Report('Stuck', $words, $sale->reference, $verdict->problem) : null;
    }

    private function recordHalt(callable $sql, \stdClass $sale, Verdict $verdict): ?Report
    {
        if ($verdict->word !== 'Stop') {
            if ($verdict->isOurs()) {
                self::endHalt($sql);
            }
            return null;
        }
        $isNew = $sql('select 1 from meta where halted_at is null') !== [];
        $set = 'halted_at = coalesce(halted_at, ?), halted_status = ?, halted_answer = ?, tried_at = ?';
        $sql("update meta set $set", $this->now(), $verdict->answer->status, $verdict->answer->body, $this->now());
        $words = "nothing is sent, and it is tried again every five minutes: $verdict->failure";
        return $isNew ? new Report('Halted', $words, $sale->reference, $verdict->problem) : null;
    }

    private static function endHalt(callable $sql): void
    {
        $sql('update meta set halted_at = null, halted_status = null, halted_answer = null, tried_at = null where halted_at is not null');
    }

    private function stateIn(callable $sql, string $reference): \stdClass
    {
        return $sql('select state, status, answer, attempts, answered from sales where reference = ?', $reference)[0]
            ?? throw new OutboxException("$reference is not in {$this->file->path}");
    }

    private static function lastFailureIn(callable $sql, string $which, int $value): ?Failure
    {
        $failed = "from sales where state = 'Queued' and failure is not null and $which";
        $row = $sql("select failed_at, failing_since, failure $failed order by failed_at desc limit 1", $value)[0] ?? null;
        return $row === null ? null : self::failure($row);
    }

    private static function failure(\stdClass $row): ?Failure
    {
        return $row->failure === null ? null : new Failure(self::moment($row->failed_at), self::moment($row->failing_since), $row->failure);
    }

    private static function moment(?int $seconds): ?\DateTimeImmutable
    {
        return $seconds === null ? null : new \DateTimeImmutable("@$seconds");
    }

    private function now(): int
    {
        return (int) ($this->clock)();
    }

    private function nowMs(): int
    {
        return (int) (1000 * ($this->clock)());
    }
}
