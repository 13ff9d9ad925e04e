//go:build tools

// Package peers pins the version of geth that tests compare against.
package peers

import _ "github.com/ethereum/go-ethereum/cmd/geth"
