<?php

declare(strict_types=1);

namespace Tillseal;

use Tillseal\Error\NoAnswer;
use Tillseal\Error\OutboxError;
use Tillseal\Error\Problem;
use Tillseal\Outbox\Halted;
use Tillseal\Outbox\Held;
use Tillseal\Outbox\Journal;
use Tillseal\Outbox\Parked;
use Tillseal\Outbox\Queued;
use Tillseal\Outbox\Refused;
use Tillseal\Outbox\Sale;
use Tillseal\Outbox\Signed;
use Tillseal\Outbox\Status;

/**
 * What was sold is on the disk before it is sent, and is sealed exactly once, in order (docs/outbox.md). The sales of one or more devices
 * are in one file, which several processes may share.
 */
final class Outbox
{
    private const ATTEMPT_SECONDS = 30.0;
    private const LONGEST_WAIT_SECONDS = 60;
    private const LOOK_AGAIN_MICROSECONDS = 50_000;
    private const COMPACT_SECONDS = 60;

    private readonly Journal $journal;
    /** @var \Closure(Parked|Halted|OutboxError): mixed */
    private readonly \Closure $report;
    /** @var array<int, array{due: float, failures: int}> by device */
    private array $waits = [];
    /** The sale of the `sell` that is running, if nothing was before it on its device and it was not sent yet: its date is not late. */
    private ?string $unsent = null;
    private float $compactAt = 0;

    /** @param null|callable(Parked|Halted|OutboxError): mixed $report hears of what a person has to do something about; by default the error log */
    public function __construct(
        string $path,
        private readonly Client $client,
        private readonly float $deadline = 5.0,
        ?callable $report = null,
    ) {
        $this->journal = new Journal($path);
        $this->report = $report === null ? self::log(...) : $report(...);
        $this->journal->refresh();
        $this->draining(static fn () => null); // Compacts what an earlier process left.
    }

    /**
     * Takes a sale. The same receipt again is the same sale: after a crash, sell it again to learn what became of it.
     *
     * @param array<string, mixed> $receipt amounts as text, such as '12.50'
     * @param ?float $deadline seconds
     * @throws OutboxError if the sale cannot be written to the disk; never because of the network
     */
    public function sell(array $receipt, ?float $deadline = null): Signed|Queued|Refused
    {
        ['Reference' => $reference, 'AuthorityDeviceId' => $device] = $receipt + ['Reference' => null, 'AuthorityDeviceId' => null];
        if (!is_string($reference) || !is_int($device)) {
            throw new \InvalidArgumentException('a receipt needs a Reference (string) and an AuthorityDeviceId (int)');
        }
        $body = ExactJson::encode($receipt);
        $isFirst = false;
        $isNew = $this->journal->append(function () use ($reference, $device, $body, &$isFirst): ?array {
            $isFirst = $this->firstsOpen($device) === [];
            $known = $this->journal->sales[$reference] ?? null;
            if ($known === null || $known->end === 'Discarded') {
                return ['Kind' => 'Sale', 'Reference' => $reference, 'AuthorityDeviceId' => $device, 'Body' => $body];
            }
            if ($known->body !== $body) {
                throw new OutboxError("$reference was already sold with other content: use a new Reference");
            }
            return null;
        });
        $this->unsent = $isNew && $isFirst ? $reference : null;
        try {
            return $this->awaitEnd($reference, $device, self::clock() + ($deadline ?? $this->deadline));
        } catch (OutboxError $error) {
            // The sale is in the journal, whatever has become of the disk since.
            ($this->report)($error);
            return new Queued($reference);
        } finally {
            $this->unsent = null;
        }
    }

    /**
     * Sends what is open, as far as that is possible now, for at most $seconds. Sends nothing if another process is doing it.
     *
     * @throws OutboxError
     */
    public function drain(float $seconds = INF): Status
    {
        $this->draining(fn (Held $held) => $this->sendOpen($held, self::clock() + $seconds));
        return $this->status();
    }

    public function status(): Status
    {
        $this->journal->refresh();
        $open = array_filter($this->journal->sales, static fn (Sale $sale) => $sale->end === null);
        $parked = array_filter($this->journal->sales, static fn (Sale $sale) => $sale->end === 'Parked');
        $halt = $this->journal->halt;
        return new Status(
            open: count($open),
            oldest: $open === [] ? null : reset($open)->at,
            parked: array_map(
                static fn (Sale $sale) => new Parked($sale->reference, Problem::of($sale->status, $sale->answer)),
                array_values($parked),
            ),
            halted: $halt === null ? null : new Halted(Problem::of($halt['status'], $halt['answer'])),
        );
    }

    /** Opens a parked sale again, at its old place. */
    public function retry(string $reference): void
    {
        $this->settle('Retried', $reference);
    }

    /** Gives a parked sale up. Its Reference is free for a corrected one. */
    public function discard(string $reference): void
    {
        $this->settle('Discarded', $reference);
    }

    /** Ends a halt, when the token is good again. */
    public function resume(): void
    {
        $this->journal->append(fn () => $this->journal->halt === null ? null : ['Kind' => 'Resumed']);
        $this->waits = [];
    }

    private function settle(string $kind, string $reference): void
    {
        $this->journal->append(function () use ($kind, $reference): array {
            if (($this->journal->sales[$reference]->end ?? null) !== 'Parked') {
                throw new OutboxError("$reference is not parked");
            }
            return ['Kind' => $kind, 'Reference' => $reference];
        });
    }

    /** The end of a sale that is in the journal, which this process sends unless another one is sending. */
    private function awaitEnd(string $reference, int $device, float $until): Signed|Queued|Refused
    {
        while (true) {
            $this->journal->refresh();
            $sale = $this->journal->sales[$reference] ?? null;
            if ($sale?->end === 'Signed') {
                return new Signed($reference, ExactJson::decode($sale->answer));
            }
            if ($sale?->end === 'Parked') {
                return new Refused($reference, Problem::of($sale->status, $sale->answer));
            }
            if ($this->journal->halt !== null || max(self::clock(), $this->due($device)) >= $until) {
                return new Queued($reference);
            }
            if ($this->due($device) <= self::clock()) {
                $outcome = $this->draining(fn (Held $held) => $this->sendOpen($held, $until, $device, $reference));
                if ($outcome !== null) {
                    return $outcome;
                }
            }
            usleep(self::LOOK_AGAIN_MICROSECONDS);
        }
    }

    // Draining.

    /**
     * Does it with the drain lock, then compacts; null if another process has it.
     *
     * @template Result
     * @param callable(Held): Result $do
     * @return ?Result
     */
    private function draining(callable $do): mixed
    {
        $held = $this->journal->drainLock->tryTake();
        if ($held === null) {
            return null;
        }
        try {
            $result = $do($held);
            $this->compact($held);
            return $result;
        } finally {
            $held->release();
        }
    }

    private function compact(Held $held): void
    {
        if (self::clock() < $this->compactAt) {
            return;
        }
        $this->compactAt = self::clock() + self::COMPACT_SECONDS;
        try {
            $this->journal->compact($held);
        } catch (OutboxError $error) {
            // The disk is full, for example. The journal is as good as before.
            ($this->report)($error);
        }
    }

    /**
     * Sends the first open sale of each device (or of one), again and again, until none is left that may be sent now. With $wanted only up
     * to that sale, whose outcome it gives.
     */
    private function sendOpen(Held $held, float $until, ?int $device = null, ?string $wanted = null): Signed|Refused|null
    {
        while (true) {
            $this->journal->refresh(isFlushed: true);
            $firsts = array_filter($this->firstsOpen($device), fn (Sale $sale) => $this->due($sale->device) <= self::clock());
            if ($firsts === [] || ($wanted !== null && !$this->isOpen($wanted))) {
                return null;
            }
            foreach ($firsts as $sale) {
                $seconds = min(self::ATTEMPT_SECONDS, $until - self::clock());
                if ($this->journal->halt !== null || $seconds <= 0 || !$held->isMine()) {
                    return null;
                }
                $held->renew();
                $outcome = $this->attempt($held, $sale, $seconds);
                if ($sale->reference === $wanted) {
                    return $outcome;
                }
            }
        }
    }

    private function attempt(Held $held, Sale $sale, float $seconds): Signed|Refused|null
    {
        $headers = $sale->reference === $this->unsent ? [] : ['Late-Receipt: true'];
        $this->unsent = $headers === [] ? null : $this->unsent;
        try {
            $answer = $this->client->send('POST', '/api/receipt/sign', $sale->body, $headers, $seconds);
        } catch (NoAnswer) {
            $this->wait($sale->device);
            return null;
        }
        $problem = Problem::of($answer->status, $answer->body);
        [$kind, $reference] = [self::ending($answer, $problem, $sale), $sale->reference];
        [$record, $outcome, $report] = match ($kind) {
            'Signed' => [['Reference' => $reference], new Signed($reference, ExactJson::decode($answer->body)), null],
            'Parked' => [
                ['Reference' => $reference, 'Status' => $answer->status],
                new Refused($reference, $problem),
                new Parked($reference, $problem),
            ],
            'Halted' => [['Status' => $answer->status], null, new Halted($problem)],
            null => [null, null, null],
        };
        if ($record === null) {
            $this->wait($sale->device, $answer->retryAfter());
            return null;
        }
        unset($this->waits[$sale->device]);
        if (!$held->isMine()) {
            return null; // Another process has sent it too by now, and writes what became of it.
        }
        $record += ['Kind' => $kind, 'Answer' => $answer->body];
        try {
            $this->journal->append(fn () => $this->isOpen($reference) ? $record : null);
        } catch (OutboxError $error) {
            // It stays open; sending it again will get the same answer.
            $this->wait($sale->device);
            ($this->report)($error);
        }
        if ($report !== null) {
            ($this->report)($report);
        }
        return $outcome;
    }

    /** The record that an answer leads to; null: try again. What is not from Tillseal, a log-in page for example, leads to none. */
    private static function ending(Answer $answer, Problem $problem, Sale $sale): ?string
    {
        $isOurs = $problem->problemCode !== '';
        return match ($answer->status) {
            200 => self::isSeal($answer->body, $sale->reference) ? 'Signed' : null,
            // RCPT031: the till's clock is ahead of Tillseal's.
            400 => $isOurs && !$problem->has('RCPT031') ? 'Parked' : null,
            409 => $isOurs ? 'Parked' : null,
            413, 415 => 'Parked',
            401, 403 => $isOurs ? 'Halted' : null,
            default => null,
        };
    }

    private static function isSeal(string $text, string $reference): bool
    {
        try {
            $sealed = ExactJson::decode($text);
        } catch (\JsonException) {
            return false;
        }
        return is_array($sealed) && ($sealed['Reference'] ?? null) === $reference && isset($sealed['DeviceSignature']);
    }

    /** @return array<int, Sale> of each device, or of this one */
    private function firstsOpen(?int $device): array
    {
        $firsts = [];
        foreach ($this->journal->sales as $sale) {
            if ($sale->end === null && ($device === null || $sale->device === $device)) {
                $firsts[$sale->device] ??= $sale;
            }
        }
        return $firsts;
    }

    private function isOpen(string $reference): bool
    {
        $sale = $this->journal->sales[$reference] ?? null;
        return $sale !== null && $sale->end === null;
    }

    private function due(int $device): float
    {
        return $this->waits[$device]['due'] ?? 0.0;
    }

    private function wait(int $device, ?float $retryAfter = null): void
    {
        $failures = $this->waits[$device]['failures'] ?? 0;
        $seconds = $retryAfter ?: min(2 ** $failures, self::LONGEST_WAIT_SECONDS);
        // Not all tills at the same moment.
        $due = self::clock() + $seconds * random_int(100, 120) / 100;
        $this->waits[$device] = ['due' => $due, 'failures' => $failures + 1];
    }

    private static function log(Parked|Halted|OutboxError $event): void
    {
        error_log('tillseal: ' . match (true) {
            $event instanceof Parked => "$event->reference is parked: {$event->problem->getMessage()}",
            $event instanceof Halted => "halted: {$event->problem->getMessage()}",
            default => $event->getMessage(),
        });
    }

    /** Seconds that only go forward. */
    private static function clock(): float
    {
        return hrtime(true) / 1e9;
    }
}
