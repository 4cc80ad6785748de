//go:build !linux

package main

func unmapBinary() {}
