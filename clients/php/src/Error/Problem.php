<?php

declare(strict_types=1);

namespace Tillseal\Error;

use Tillseal\ExactJson;

/** An answer other than success. `$problemCode` is stable and in the error catalogue; `$errors` names every wrong field. */
class Problem extends TillsealError
{
    public readonly string $problemCode;
    public readonly string $detail;
    public readonly string $requestId;
    /** @var list<FieldError> */
    public readonly array $errors;

    final public function __construct(
        public readonly int $status,
        public readonly string $text,
        public readonly ?float $retryAfter = null,
    ) {
        try {
            $document = ExactJson::decode($text);
        } catch (\JsonException) {
            $document = null;
        }
        $document = is_array($document) ? $document : [];
        $this->problemCode = self::text($document, 'Code');
        $this->detail = self::text($document, 'detail') ?: self::text($document, 'title');
        $this->requestId = self::text($document, 'requestId');
        $errors = array_filter((array) ($document['errors'] ?? []), is_array(...));
        $this->errors = array_map(
            static fn (array $error) => new FieldError(
                self::text($error, 'Field'),
                self::text($error, 'Code'),
                self::text($error, 'Message'),
            ),
            array_values($errors),
        );
        $words = array_map(static fn (FieldError $error) => "$error->field: $error->message", $this->errors);
        parent::__construct(trim("$status $this->problemCode " . (implode('; ', $words) ?: $this->detail)), $status);
    }

    /** The problem as the type for its status. */
    public static function of(int $status, string $text, ?float $retryAfter = null): self
    {
        $type = match (true) {
            in_array($status, [400, 413, 415], true) => InvalidRequest::class,
            in_array($status, [401, 403], true) => Unauthorized::class,
            $status === 404 => NotFound::class,
            $status === 409 => Conflict::class,
            $status === 429 || $status >= 500 => Unavailable::class,
            default => self::class,
        };
        return new $type($status, $text, $retryAfter);
    }

    public function has(string $code): bool
    {
        return in_array($code, array_column($this->errors, 'code'), true);
    }

    /** @param array<mixed> $document */
    private static function text(array $document, string $name): string
    {
        return is_string($document[$name] ?? null) ? $document[$name] : '';
    }
}
