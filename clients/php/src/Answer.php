<?php

declare(strict_types=1);

namespace Tillseal;

/** An answer as it came, whatever its status. */
final class Answer
{
    /** @param array<string, string> $headers names in lower case */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {
    }

    public function retryAfter(): ?float
    {
        $seconds = $this->headers['retry-after'] ?? '';
        return preg_match('/^\d+$/D', $seconds) ? (float) $seconds : null;
    }
}
