<?php

declare(strict_types=1);

namespace Tillseal;

/**
 * An answer with any status, unchanged.
 *
 * @internal
 */
final class Answer
{
    /** @param array<string, string> $headers names in lower case */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {}

    public function retryAfterSeconds(): ?int
    {
        $seconds = $this->headers['retry-after'] ?? '';
        return preg_match('/^[0-9]+$/D', $seconds) ? (int) $seconds : null;
    }

    /** Describes an answer that is not from Tillseal. */
    public function asStranger(): string
    {
        $beginning = preg_replace('/\s+/', ' ', substr($this->body, 0, 200));
        return trim("something that is not Tillseal answered: $this->status $beginning");
    }
}
