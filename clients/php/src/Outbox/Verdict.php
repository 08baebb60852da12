<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

use Tillseal\Answer;
use Tillseal\Error\ProblemException;
use Tillseal\ExactJson;

/**
 * What an answer to a sign request means for the sale (docs/outbox.md, "What the answer means").
 *
 * @internal
 */
final class Verdict
{
    private const LONGEST_FAILURE = 500;
    private const LONGEST_RETRY_AFTER_SECONDS = 300;

    /** @param string $word Signed, Again, SetAside or Stop */
    private function __construct(
        public readonly string $word,
        public readonly ?Answer $answer = null,
        /** @var ?array<string, mixed> of a signed one */
        public readonly ?array $receipt = null,
        public readonly ?ProblemException $problem = null,
        /** Why the sale has not ended, if it has not. */
        public readonly string $failure = '',
        /** Only its date is refused: sent again with `Late-Receipt` it is accepted. */
        public readonly bool $isMisdated = false,
    ) {}

    /** @param bool $isLate whether it was sent with `Late-Receipt` */
    public static function of(Answer $answer, string $reference, bool $isLate = true): self
    {
        if ($answer->status === 200) {
            $receipt = self::seal($answer->body, $reference);
            return $receipt === null ? self::stranger($answer) : new self('Signed', $answer, $receipt);
        }
        $problem = ProblemException::of($answer->status, $answer->body);
        if ($problem->code === null) {
            return self::stranger($answer);
        }
        $isMisdated = !$isLate && $problem->status === 400 && $problem->hasOnly('RCPT030', 'RCPT031');
        $word = in_array($problem->then, ['Again', 'SetAside', 'Stop'], true) ? $problem->then : self::byStatus($problem);
        $failure = self::clean($problem->getMessage());
        return new self($isMisdated ? 'Again' : $word, $answer, problem: $problem, failure: $failure, isMisdated: $isMisdated);
    }

    public static function noAnswer(string $failure): self
    {
        return new self('Again', failure: self::clean($failure));
    }

    public function isOurs(): bool
    {
        return $this->receipt !== null || $this->problem !== null;
    }

    /** How long Tillseal asks to wait. */
    public function afterSeconds(): ?int
    {
        $seconds = $this->isOurs() ? $this->answer->retryAfterSeconds() : null;
        return $seconds === null ? null : max(1, min($seconds, self::LONGEST_RETRY_AFTER_SECONDS));
    }

    public function number(): ?int
    {
        return is_int($this->receipt['GlobalCounter'] ?? null) ? $this->receipt['GlobalCounter'] : null;
    }

    /** By how many seconds the date was moved back to Tillseal's time. */
    public function clockAheadSeconds(): ?int
    {
        return preg_match('/^-([1-9][0-9]{0,9})$/D', $this->answer->headers['date-advanced'] ?? '', $found) ? (int) $found[1] : null;
    }

    private static function stranger(Answer $answer): self
    {
        return new self('Again', $answer, failure: self::clean($answer->asStranger()));
    }

    /** For an older service, whose answers have no `Then`. */
    private static function byStatus(ProblemException $problem): string
    {
        $willPass = $problem->code === 'DeviceBlocked' || $problem->hasOnly('DeviceBlocked', 'RCPT031');
        return match ($problem->status) {
            400, 409, 413, 415 => $willPass ? 'Again' : 'SetAside',
            401, 403 => 'Stop',
            default => 'Again',
        };
    }

    /** @return ?array<string, mixed> */
    private static function seal(string $text, string $reference): ?array
    {
        try {
            $receipt = ExactJson::decode($text);
        } catch (\JsonException) {
            return null;
        }
        // The plain answer, because in the exact one decimals are texts as well.
        $plain = json_decode($text, true);
        return ($plain['Reference'] ?? null) === $reference && is_string($plain['DeviceSignature'] ?? null) ? $receipt : null;
    }

    /** What something else than Tillseal answers may not be UTF-8. */
    private static function clean(string $text): string
    {
        preg_match('/^.{0,' . self::LONGEST_FAILURE . '}/su', json_decode(json_encode($text, JSON_INVALID_UTF8_SUBSTITUTE)), $found);
        return $found[0];
    }
}
