<?php

declare(strict_types=1);

namespace Tillseal;

use Tillseal\Error\NoAnswerException;
use Tillseal\Error\OutboxException;
use Tillseal\Error\ProblemException;
use Tillseal\Outbox\Drained;
use Tillseal\Outbox\Queued;
use Tillseal\Outbox\Report;
use Tillseal\Outbox\Sale;
use Tillseal\Outbox\Sales;
use Tillseal\Outbox\SetAside;
use Tillseal\Outbox\Signed;
use Tillseal\Outbox\Status;
use Tillseal\Outbox\Verdict;

/**
 * Every sale is on the disk before it is sent, and is sealed exactly once, in order (docs/outbox.md). `Client::openOutbox` opens one. Every
 * method that needs its file throws OutboxException when the file cannot be read or written.
 */
final class Outbox
{
    private const ATTEMPT_SECONDS = 30;
    private const SHORTEST_ATTEMPT_SECONDS = 0.1;
    private const LONGEST_WAIT_SECONDS = 60;
    private const LOOK_AGAIN_SECONDS = 0.05;
    private const REPORT_AGAIN_SECONDS = 300;
    private const TIDY_SECONDS = 60;

    private readonly Sales $sales;
    /** @var \Closure(Report): mixed */
    private readonly \Closure $report;
    /** @var array<int, array{due: float, failures: int}> by device */
    private array $waits = [];
    /** @var array<string, float> until when a kind is not reported again, by kind and device */
    private array $reported = [];
    private float $tidyAt = 0;

    /**
     * @internal
     * @param null|callable(Report): mixed $report
     * @param null|callable(): float $clock
     */
    public function __construct(
        private readonly Client $client,
        string $file,
        private readonly float $deadlineSeconds,
        ?callable $report,
        ?callable $clock = null,
    ) {
        $this->report = $report === null ? static fn (Report $one) => error_log("tillseal: $one->kind: $one->message") : $report(...);
        $this->sales = new Sales($file, $clock === null ? static fn () => microtime(true) : $clock(...));
        $this->tidy();
    }

    /**
     * Takes a sale. The same receipt again is the same sale: after a crash, sell it again to learn what became of it.
     *
     * @param array<string, mixed> $receipt amounts as text, such as '12.50'
     * @throws OutboxException if the sale cannot be written, or is discarded meanwhile; never because of the network
     */
    public function sell(array $receipt, ?float $deadlineSeconds = null): Signed|Queued|SetAside
    {
        [$reference, $device] = [$receipt['Reference'] ?? null, $receipt['AuthorityDeviceId'] ?? null];
        if (!is_string($reference) || $reference === '' || !is_int($device)) {
            throw new \InvalidArgumentException('a receipt needs a Reference (string, not empty) and an AuthorityDeviceId (int)');
        }
        $body = ExactJson::encode($receipt);
        $deadlineSeconds ??= $this->deadlineSeconds;
        $until = self::clock() + $deadlineSeconds;
        $claimed = $this->sales->take($reference, $device, $body, $deadlineSeconds > 0);
        try {
            // It is counted as sent, so it is sent even if writing it took all the time.
            $sent = $claimed === null ? null : $this->send($claimed, min(self::ATTEMPT_SECONDS, $until - self::clock()), isLate: false);
            $end = is_object($sent) ? $sent : $this->awaitEnd($reference, $device, $body, $until);
        } catch (OutboxException $error) {
            if ($error->isFileLost) {
                throw $error;
            }
            // It was written, even if the disk has failed since.
            $this->tell(new Report('Failed', $error->getMessage(), $reference));
            return new Queued($reference, null);
        } finally {
            $this->tidy();
        }
        return $end ?? throw new OutboxException("$reference was discarded meanwhile");
    }

    /** Sends until nothing is queued, nothing of this token or address passes, or the time is up. Every device that need not wait gets at least one attempt. */
    public function drain(float $withinSeconds = 60): Drained
    {
        $until = self::clock() + $withinSeconds;
        $counts = [Signed::class => 0, SetAside::class => 0];
        for ($isFirstRound = true; ; $isFirstRound = false) {
            $isSent = false;
            foreach ($devices = $this->sales->queuedDevices() as $device) {
                if ($this->due($device) > self::clock() || (!$isFirstRound && self::clock() >= $until)) {
                    continue;
                }
                $sent = $this->sendFirst($device, self::ATTEMPT_SECONDS);
                if ($sent === 'Halted') {
                    break 2;
                }
                $isSent = $isSent || $sent !== null;
                if (is_object($sent)) {
                    $counts[$sent::class]++;
                }
            }
            if ($devices === [] || self::clock() >= $until) {
                break;
            }
            if (!$isSent) {
                usleep((int) (1e6 * self::LOOK_AGAIN_SECONDS));
            }
        }
        $this->tidy();
        return new Drained($counts[Signed::class], $counts[SetAside::class], $this->status());
    }

    public function status(): Status
    {
        return $this->sales->status();
    }

    /** What became of a sale, for 90 days; null if it is not known. */
    public function find(string $reference): ?Sale
    {
        return $this->sales->find($reference);
    }

    /** Queues a sale that is set aside again, at its old place; without a reference all of them. */
    public function retry(?string $reference = null): void
    {
        $this->sales->retry($reference);
    }

    /** Gives a sale up that is set aside, or queued and certainly not sealed. Its Reference is free for a corrected one. */
    public function discard(string $reference): void
    {
        $this->sales->discard($reference);
    }

    /** Ends a halt, when the token is good again. */
    public function resume(): void
    {
        $this->sales->resume();
    }

    /** The end of a sale that was written, null if it was discarded; this process sends it, and what is before it, unless another one is sending. */
    private function awaitEnd(string $reference, int $device, string $body, float $until): Signed|Queued|SetAside|null
    {
        $hash = hash('sha256', $body);
        while (true) {
            $row = $this->sales->row($reference);
            if ($row?->body_sha256 !== $hash || $row->state === 'Discarded') { // Another hash: its Reference was used again.
                return null;
            }
            if ($row->state === 'Signed') {
                $receipt = $row->answer === null ? $this->sealAgain($reference, $body, $until) : ExactJson::decode($row->answer);
                return new Signed($reference, $row->number, $receipt, $row->clock_ahead);
            }
            if ($row->state === 'SetAside') {
                return new SetAside($reference, ProblemException::of($row->status, $row->answer));
            }
            $seconds = $until - self::clock();
            if ($seconds <= 0 || $this->due($device) >= $until) {
                break;
            }
            $sent = $this->due($device) > self::clock() ? null : $this->sendFirst($device, min(self::ATTEMPT_SECONDS, $seconds));
            if ($sent === 'Halted') {
                break;
            }
            if (is_object($sent) && $sent->reference === $reference) {
                return $sent;
            }
            if ($sent === null) {
                usleep((int) (1e6 * min(self::LOOK_AGAIN_SECONDS, $seconds)));
            }
        }
        return new Queued($reference, $this->sales->lastFailure($device));
    }

    /**
     * The receipt of a sale whose answer was removed from the file: the same request gets the same seal.
     *
     * @return ?array<string, mixed>
     */
    private function sealAgain(string $reference, string $body, float $until): ?array
    {
        $seconds = min(self::ATTEMPT_SECONDS, $until - self::clock());
        try {
            return $seconds <= 0 ? null : Verdict::of($this->request($body, $seconds, ['Late-Receipt: true']), $reference)->receipt;
        } catch (NoAnswerException) {
            return null;
        }
    }

    /** Sends the first sale of the device: its end, Again or Halted; null if there is none, or another process is sending it. */
    private function sendFirst(int $device, float $seconds): Signed|SetAside|string|null
    {
        $sale = $this->sales->claim($device);
        return $sale === null ? null : ($sale === false ? 'Halted' : $this->send($sale, $seconds, isLate: true));
    }

    private function send(\stdClass $sale, float $seconds, bool $isLate): Signed|SetAside|string
    {
        $headers = ["Outbox-Backlog: waiting=$sale->waiting, seconds=$sale->seconds", ...($isLate ? ['Late-Receipt: true'] : [])];
        try {
            $verdict = Verdict::of($this->request($sale->body, max($seconds, self::SHORTEST_ATTEMPT_SECONDS), $headers), $sale->reference, $isLate);
        } catch (NoAnswerException $error) {
            $verdict = Verdict::noAnswer($error->getMessage());
        }
        if ($verdict->answer !== null && !$verdict->isOurs()) {
            $this->tellNowAndThen($sale->device, new Report('Stranger', $verdict->failure, $sale->reference));
        }
        $signed = $verdict->word === 'Signed'
            ? new Signed($sale->reference, $verdict->number(), $verdict->receipt, $verdict->clockAheadSeconds())
            : null;
        if ($signed?->clockAheadSeconds !== null) {
            $words = "this till's clock is $signed->clockAheadSeconds seconds ahead; $sale->reference was sealed with Tillseal's time";
            $this->tellNowAndThen($sale->device, new Report('ClockAhead', $words, $sale->reference));
        }
        try {
            $reports = $this->sales->record($sale, $verdict);
        } catch (OutboxException $error) {
            // It stays queued; the next attempt gets the same answer.
            $words = "the answer to $sale->reference was not recorded: {$error->getMessage()}";
            $this->tellNowAndThen($sale->device, new Report('Failed', $words, $sale->reference));
            $this->wait($sale->device, null);
            return $signed ?? 'Again';
        }
        array_map($this->tell(...), $reports);
        if ($verdict->word === 'Again' && !$verdict->isMisdated) {
            $this->wait($sale->device, $verdict->afterSeconds());
        } else {
            unset($this->waits[$sale->device]);
        }
        return match ($verdict->word) {
            'Signed' => $signed,
            // Unless another process has ended it: then its row has the result.
            'SetAside' => in_array('SetAside', array_column($reports, 'kind'), true) ? new SetAside($sale->reference, $verdict->problem) : 'Again',
            // Also after Stop: the row is read again, and the next claim finds the halt.
            default => 'Again',
        };
    }

    /** @param list<string> $headers */
    private function request(string $body, float $seconds, array $headers): Answer
    {
        return $this->client->send('POST', '/api/receipt/sign', $body, $headers, $seconds);
    }

    private function due(int $device): float
    {
        return $this->waits[$device]['due'] ?? 0.0;
    }

    private function wait(int $device, ?int $afterSeconds): void
    {
        $failures = $this->waits[$device]['failures'] ?? 0;
        $seconds = $afterSeconds ?? min(2 ** $failures, self::LONGEST_WAIT_SECONDS);
        // So that tills do not all come back at the same moment.
        $due = self::clock() + $seconds * random_int(100, 120) / 100;
        $this->waits[$device] = ['due' => $due, 'failures' => $failures + 1];
    }

    private function tellNowAndThen(int $device, Report $report): void
    {
        $key = "$report->kind $device";
        if (self::clock() >= ($this->reported[$key] ?? 0)) {
            $this->reported[$key] = self::clock() + self::REPORT_AGAIN_SECONDS;
            $this->tell($report);
        }
    }

    private function tell(Report $report): void
    {
        try {
            ($this->report)($report);
        } catch (\Throwable $error) {
            // No sale may fail because of a report.
            error_log("tillseal: $report->kind: $report->message (and its report failed: {$error->getMessage()})");
        }
    }

    private function tidy(): void
    {
        if (self::clock() >= $this->tidyAt) {
            $this->tidyAt = self::clock() + self::TIDY_SECONDS;
            $this->sales->tidy();
        }
    }

    /** Seconds that only go forward. */
    private static function clock(): float
    {
        return hrtime(true) / 1e9;
    }
}
