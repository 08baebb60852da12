<?php

declare(strict_types=1);

namespace Tillseal\Error;

/** 401, 403: the token is refused. */
final class Unauthorized extends Problem
{
}
